import * as z from 'zod';
import { timestamp, uuid } from './common.ts';

const area = z
  .looseObject({
    provinceId: uuid,
    cityId: uuid,
    districtId: uuid,
    subDistrictId: uuid,
    latitude: z.string().min(1),
    longitude: z.string().min(1),
    postalCode: z.string().regex(/^\d{5}$/, 'must be a 5-digit Indonesian postal code'),
    address: z.string().min(1),
  })
  .meta({ id: 'Area' });

/** The body of §4.14. */
export const newWarehouse = z.looseObject({
  externalId: uuid,
  warehouseName: z.string().min(1),
  isMain: z.boolean(),
  phone: z.string().min(1),
  area,
});

export const createdWarehouse = z.object({
  id: uuid,
  externalId: uuid,
  clientId: z.string(),
  name: z.string(),
  isMain: z.boolean(),
});

/** A warehouse of §4.15. */
export const listedWarehouse = z.object({
  id: uuid,
  externalId: uuid,
  clientId: z.string(),
  warehouseName: z.string(),
  phone: z.string(),
  isMain: z.boolean(),
  area,
  syncStatus: z.literal('synced'),
  createdAt: timestamp,
});
