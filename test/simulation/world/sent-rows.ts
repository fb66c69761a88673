import { z } from 'zod';

const stock = z.number().int().nonnegative();

/** A row of §4.8 or §4.9 as it came over the wire, read without the connector's own schemas. */
const sentRow = z.strictObject({
  sku: z.string(),
  price: z.number().optional(),
  specialPrice: z.number().nullable().optional(),
  stock: stock.optional(),
  warehouses: z.array(z.strictObject({ clientId: z.string(), stock })).optional(),
});
export type SentRow = z.infer<typeof sentRow>;

const sentBody = z.strictObject({ items: z.array(sentRow).min(1) });

/** The rows of a bulk request. */
export function readSentRows(body: Uint8Array | undefined): SentRow[] {
  if (body === undefined) return [];
  return sentBody.parse(JSON.parse(Buffer.from(body).toString())).items;
}

export function targetOfRow({ sku }: SentRow): string {
  return `sku:${sku}`;
}

/** The stock values that a row sets; none for a price row. */
export function stocksOf({ stock: global, warehouses = [] }: SentRow): number[] {
  return [...(global === undefined ? [] : [global]), ...warehouses.map((warehouse) => warehouse.stock)];
}
