import { z } from 'zod';

/** A UUID by its form 8-4-4-4-12; the spec promises no RFC 9562 version or variant. */
export const uuid = z.guid();

/** An identifier that is not empty: sku, clientId, invoice number. */
export const identifier = z.string().min(1);

/** What is smaller is no price but a mistake: the parts of a currency are not that small. */
const SMALLEST_PRICE = 1e-9;

/** A price; its unit is the marketplace's own (§2, gaps). At most what JSON readers agree on. */
export const price = z
  .number()
  .nonnegative()
  .max(Number.MAX_SAFE_INTEGER)
  .refine((value) => value <= 0 || value >= SMALLEST_PRICE, {
    message: `must be 0 or at least ${SMALLEST_PRICE}`,
    params: { rule: 'PRICE_TOO_SMALL' },
  });

/** A number of pieces. */
export const stock = z.int().nonnegative();

/** What a store says to an order (§4.16). */
export const decision = z.enum(['accept', 'reject']);

/** What can be asked of an order in bulk: a decision (§4.16) or a dropoff (§4.17). */
export const orderActionSchema = z.enum(['decision', 'dropoff']);
export type OrderAction = z.infer<typeof orderActionSchema>;

/** Stock of one warehouse, named by its public clientId (§2). */
export const warehouseStock = z.strictObject({ clientId: identifier, stock });

/** A document of an order that the marketplace makes (§4.18, 4.19). */
export const documentKindSchema = z.enum(['shipping-label', 'invoice']);
export type DocumentKind = z.infer<typeof documentKindSchema>;

/** A rule of the spec that a request breaks. */
export interface Problem {
  /** Where: property names and array positions from the value that the rule was asked about. */
  readonly path: readonly (string | number)[];
  /** Which rule, by a stable name. */
  readonly rule: string;
  readonly message: string;
}

/** A rule as a pure function: every way in which the value breaks it. */
export type Rule<Value> = (value: Value) => Problem[];

/** Lets a zod schema hold a rule: `schema.superRefine(obeys(rule))`. The rule's name is in `params.rule`. */
export function obeys<Value>(rule: Rule<Value>): (value: Value, context: z.RefinementCtx) => void {
  return (value, context) => {
    for (const { path, rule: name, message } of rule(value)) {
      context.addIssue({ code: 'custom', path: [...path], message, params: { rule: name } });
    }
  };
}

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
