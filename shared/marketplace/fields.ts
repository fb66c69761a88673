import { z } from 'zod';

/** A UUID by its form 8-4-4-4-12; the spec promises no RFC 9562 version or variant. */
export const uuid = z.guid();

/** An identifier that is not empty: sku, clientId, invoice number. */
export const identifier = z.string().min(1);

/** A price; its unit is the marketplace's own (§2, gaps). */
export const price = z.number().nonnegative();

/** A number of pieces. */
export const stock = z.int().nonnegative();

/** Stock of one warehouse, named by its public clientId (§2). */
export const warehouseStock = z.strictObject({ clientId: identifier, stock });
