import type { Problem, Rule } from './problem.ts';

/**
 * Makes the rule that exactly one of some fields identifies a target: `sku`, `id` or `externalId` for stock (§4.9),
 * `sku` or `id` for prices (§4.8), `orderId` or `invoiceNumber` for orders (§4.16, 4.17).
 */
export function exactlyOneOf<Field extends string>(
  fields: readonly [Field, ...Field[]],
): Rule<{ readonly [Name in Field]?: unknown }> {
  return (value) => {
    const given = fields.filter((field) => value[field] !== undefined);
    if (given.length === 1) return [];
    const problem: Problem = {
      path: [given[1] ?? fields[0]],
      rule: 'EXACTLY_ONE_IDENTIFIER',
      message: `exactly one of ${fields.join(', ')} must be given, not ${given.length}`,
    };
    return [problem];
  };
}
