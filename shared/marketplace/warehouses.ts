import { z } from 'zod';
import { json } from './answers.ts';
import type { Call } from './call.ts';
import { envelope } from './envelope.ts';
import type { CallOptions } from './options.ts';
import { path, type StoreCredentials } from './request.ts';

const text = z.string().nullish();

/** A warehouse as the marketplace lists it (§2). Only `clientId`, which stock payloads name, is insisted on. */
export const warehouse = z.looseObject({
  id: text,
  externalId: text,
  clientId: z.string(),
  warehouseName: text,
  phone: text,
  isMain: z.boolean().nullish(),
  area: z.looseObject({}).nullish(),
  syncStatus: text,
  createdAt: text,
});
export type Warehouse = z.infer<typeof warehouse>;

const warehouseList = envelope(z.array(warehouse));
export type WarehouseList = z.infer<typeof warehouseList>;

/** Lists all warehouses of a store (§4.15). */
export async function listWarehouses(
  call: Call,
  store: StoreCredentials,
  options?: CallOptions,
): Promise<WarehouseList> {
  return call(
    { endpoint: 'listWarehouses', method: 'GET', path: path`/partner/stores/warehouses`, as: store },
    json(warehouseList),
    options,
  );
}
