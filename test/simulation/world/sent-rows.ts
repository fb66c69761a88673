import * as z from 'zod';

const stock = z.number().int().nonnegative();

/** A row of §4.8 or §4.9 as received, read without the connector's schemas. */
const sentRow = z.strictObject({
  sku: z.string().optional(),
  id: z.uuid().optional(),
  externalId: z.uuid().optional(),
  price: z.number().optional(),
  specialPrice: z.number().nullable().optional(),
  stock: stock.optional(),
  warehouses: z.array(z.strictObject({ clientId: z.string(), stock })).optional(),
});
/** The identifiers of a row's target. */
export type RowName = { [Kind in 'sku' | 'id' | 'externalId']?: string | undefined };
export type SentRow = z.infer<typeof sentRow>;

const sentBody = z.strictObject({ items: z.array(sentRow).min(1) });

/** The rows of a bulk request. */
export function readSentRows(body: Uint8Array | undefined): SentRow[] {
  if (body === undefined) return [];
  return sentBody.parse(JSON.parse(Buffer.from(body).toString())).items;
}

export function targetOfRow({ sku, id, externalId }: RowName): string {
  if (sku !== undefined) return `sku:${sku}`;
  // A UUID is the same one in either case.
  return id === undefined ? `externalId:${externalId?.toLowerCase()}` : `id:${id.toLowerCase()}`;
}

/** The field of a row that names a target. */
export function rowNameOf(target: string): RowName {
  const [kind = '', ...rest] = target.split(':');
  return { [kind]: rest.join(':') };
}

/** The stock values that a row sets; none for a price row. */
export function stocksOf({ stock: global, warehouses = [] }: SentRow): number[] {
  return [...(global === undefined ? [] : [global]), ...warehouses.map((warehouse) => warehouse.stock)];
}
