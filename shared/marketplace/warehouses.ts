import * as z from 'zod';
import { envelope, json } from './answers.ts';
import { type Call, storeCall } from './call.ts';
import { answerList, uuid } from './fields.ts';
import type { CallOptions } from './options.ts';
import type { StoreCredentials } from './request.ts';

const text = z.string().nullish();

/** A warehouse in an answer (§2). A warehouse without a `clientId` can't get stock from us yet. */
const warehouse = z.looseObject({
  id: text,
  externalId: text,
  clientId: text,
  warehouseName: text,
  phone: text,
  isMain: z.boolean().nullish(),
  area: z
    .looseObject({
      provinceId: text,
      cityId: text,
      districtId: text,
      subDistrictId: text,
      // An answer may also have numbers: only our own requests must have texts.
      latitude: z.union([z.string(), z.number()]).nullish(),
      longitude: z.union([z.string(), z.number()]).nullish(),
      postalCode: z.union([z.string(), z.number()]).nullish(),
      address: text,
    })
    .nullish(),
  syncStatus: text,
  createdAt: text,
});

export const warehouseList = envelope(answerList(warehouse));

const postalCode = z.string().regex(/^\d{5}$/, 'must be a 5-digit Indonesian postal code');
const filled = z.string().min(1);

/** Body of §4.14. */
export const newWarehouse = z.strictObject({
  externalId: uuid,
  warehouseName: filled,
  isMain: z.boolean(),
  phone: filled,
  area: z.strictObject({
    provinceId: uuid,
    cityId: uuid,
    districtId: uuid,
    subDistrictId: uuid,
    latitude: filled,
    longitude: filled,
    postalCode,
    address: filled,
  }),
});
export type NewWarehouse = z.infer<typeof newWarehouse>;

/** Answer of §4.14. The answer calls the name `name`, not `warehouseName`. */
export const createdWarehouse = envelope(
  z.looseObject({
    id: text,
    externalId: text,
    clientId: text,
    name: text,
    isMain: z.boolean().nullish(),
  }),
);

/** The calls on a store's warehouses. */
export function warehouseCallsOver(call: Call) {
  return {
    /** Creates a warehouse (§4.14). Error: WAREHOUSE_013 when the store has a warehouse of that name. */
    createWarehouse: storeCall(call, {
      method: 'POST',
      path: '/partner/stores/warehouses',
      body: newWarehouse,
      answer: createdWarehouse,
    }),

    /** Lists all warehouses of a store (§4.15). */
    listWarehouses: (store: StoreCredentials, options?: CallOptions) =>
      call({ method: 'GET', path: '/partner/stores/warehouses', as: store }, json(warehouseList), options),
  };
}
