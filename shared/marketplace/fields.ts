import * as z from 'zod';

/** A UUID of the form 8-4-4-4-12. Any version is accepted, as the specification does not promise a version of RFC 9562. */
export const uuid = z.guid();

export const identifier = z.string().min(1);

/** Half a surrogate pair would become another character in UTF-8. */
export const text = z.string().refine((given) => given.isWellFormed(), 'must be well-formed text');

/** A smaller price is a mistake: no currency has a smaller unit. */
const SMALLEST_PRICE = 1e-9;

/** A price in the marketplace's own unit (§2, gaps). JSON readers disagree on numbers above the safe integers. */
export const price = z
  .number()
  .nonnegative()
  .max(Number.MAX_SAFE_INTEGER)
  .refine((value) => value <= 0 || value >= SMALLEST_PRICE, {
    message: `must be 0 or at least ${SMALLEST_PRICE}`,
    params: { rule: 'PRICE_TOO_SMALL' },
  });

export const stock = z.int().nonnegative();

/** A store's decision on an order (§4.16). */
export const decision = z.enum(['accept', 'reject']);

/** The bulk actions on orders: a decision (§4.16) or a dropoff (§4.17). */
export const orderActionSchema = z.enum(['decision', 'dropoff']);
export type OrderAction = z.infer<typeof orderActionSchema>;

/** Stock of one warehouse, identified by its public clientId (§2). */
export const warehouseStock = z.strictObject({ clientId: identifier, stock });

/** A document of an order (§4.18, 4.19). */
export const documentKindSchema = z.enum(['shipping-label', 'invoice']);
export type DocumentKind = z.infer<typeof documentKindSchema>;

/** `meta` of an answer (§1). */
export const answerMeta = z
  .looseObject({
    timestamp: z.string().optional().catch(undefined),
    durationMs: z.number().optional().catch(undefined),
    /** Whether events were dispatched (§6). */
    dispatch: z.boolean().optional().catch(undefined),
  })
  .optional()
  .catch(undefined);

/** At most this many faults of an answer are collected and named. */
export const MOST_FAULTS = 10;
/** A list of up to this many elements is read at once. A page usually has fewer. */
const READ_AT_ONCE = 100;

/**
 * A list in an answer. A long list is read only up to its tenth fault: zod would keep a fault of every element in memory, 800 bytes for
 * each `0` of a list.
 */
export function answerList<Element extends z.ZodType>(element: Element) {
  return z.preprocess((given) => {
    if (!Array.isArray(given) || given.length <= READ_AT_ONCE) return given;
    let faults = 0;
    const last = given.findIndex((one) => !element.safeParse(one).success && ++faults === MOST_FAULTS);
    return last === -1 ? given : given.slice(0, last + 1);
  }, z.array(element));
}

/** A broken rule of the specification. */
export interface Problem {
  /** Property names and array positions, from the checked value on. */
  readonly path: readonly (string | number)[];
  /** A stable name of the rule. */
  readonly rule: string;
  readonly message: string;
}

/** A rule as a pure function that returns all problems of a value. */
export type Rule<Value> = (value: Value) => Problem[];

/** Adds a rule to a zod schema: `schema.check(obeys(rule))`. The issue has the rule's name in `params.rule`. */
export function obeys<Value>(rule: Rule<Value>): (payload: z.core.ParsePayload<Value>) => void {
  return ({ value, issues }) => {
    for (const { path, rule: name, message } of rule(value)) {
      const params = { rule: name };
      issues.push({ code: 'custom', path: [...path], message, params, input: value, continue: true });
    }
  };
}

/**
 * The rule that exactly one of `fields` is given: `sku`, `id` or `externalId` for stock (§4.9), `sku` or `id` for prices
 * (§4.8), `orderId` or `invoiceNumber` for orders (§4.16, 4.17).
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
