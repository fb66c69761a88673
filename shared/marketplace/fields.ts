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
