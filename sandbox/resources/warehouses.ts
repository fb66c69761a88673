import * as z from 'zod';
import { enveloped } from '../api/answers.ts';
import { type Endpoint, storeEndpoint } from '../api/endpoint.ts';
import { isoTime } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { createdWarehouse, listedWarehouse, newWarehouse } from '../schemas/warehouse.ts';
import type { Store } from '../state/store.ts';

const createWarehouse = storeEndpoint({
  operationId: 'createWarehouse',
  section: '4.14',
  summary: 'Create warehouse',
  method: 'POST',
  path: '/partner/stores/warehouses',
  body: newWarehouse,
  answer: createdWarehouse,
  envelope: 'enveloped',
  errors: ['WAREHOUSE_013'],
  handle: ({ store, body, newId, now }) => {
    const { externalId, warehouseName, phone, isMain, area } = body;
    if (store.warehouses.some((known) => known.warehouseName === warehouseName)) {
      throw new ApiError('WAREHOUSE_013', { context: { warehouseName } });
    }
    const clientId = `wh-${store.warehouses.length + 1}`;
    const id = newId();
    if (isMain) for (const other of store.warehouses) other.isMain = false;
    store.warehouses.push({
      id,
      externalId,
      clientId,
      warehouseName,
      phone,
      isMain,
      area,
      createdAt: isoTime(now),
    });
    if (store.warehouses.length === 1) moveListingStock(store, clientId, now);
    return enveloped('Warehouse created', { id, externalId, clientId, name: warehouseName, isMain });
  },
});

function moveListingStock(store: Store, clientId: string, now: number): void {
  for (const product of store.catalog.all()) {
    for (const { offer } of [product, ...product.variants]) offer.moveListingStockTo(clientId, now);
  }
}

const listWarehouses = storeEndpoint({
  operationId: 'listWarehouses',
  section: '4.15',
  summary: 'List warehouses',
  method: 'GET',
  path: '/partner/stores/warehouses',
  answer: z.array(listedWarehouse),
  envelope: 'enveloped',
  handle: ({ store }) =>
    enveloped(
      'Warehouses retrieved',
      store.warehouses.map((warehouse) => ({ ...warehouse, syncStatus: 'synced' })),
    ),
});

/** §4.14, 4.15 */
export const warehouses: Endpoint[] = [createWarehouse, listWarehouses];
