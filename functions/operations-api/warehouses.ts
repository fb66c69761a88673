import type { MarketplaceClient } from '../../shared/marketplace/client.ts';
import { createdWarehouse, newWarehouse, warehouseList } from '../../shared/marketplace/warehouses.ts';
import type { ForConnectedStorePorts } from '../../shared/stores/use-cases/for-connected-store.ts';
import { forStore } from './for-store.ts';
import { inTime } from './in-time.ts';
import { type Route, route } from './route.ts';
import { storePath } from './stores.ts';

export interface WarehouseRoutesPorts extends ForConnectedStorePorts {
  readonly marketplace: Pick<MarketplaceClient, 'listWarehouses' | 'createWarehouse'>;
}

const WAREHOUSES = '/stores/{storeClientId}/warehouses';

/** A store's warehouses, answered with the marketplace's own envelope. */
export function warehouseRoutes(ports: WarehouseRoutesPorts): Route[] {
  const { marketplace } = ports;
  return [
    route(
      `GET ${WAREHOUSES}`,
      {
        summary: 'Lists the warehouses of a store (§4.15)',
        path: storePath,
        answers: { 200: warehouseList },
      },
      async ({ path: { storeClientId } }) => {
        const body = await forStore(ports, storeClientId, (store) =>
          marketplace.listWarehouses(store, inTime()),
        );
        return { status: 200, body };
      },
    ),

    route(
      `POST ${WAREHOUSES}`,
      {
        summary: 'Creates a warehouse (§4.14)',
        path: storePath,
        body: newWarehouse,
        answers: { 200: createdWarehouse },
      },
      async ({ path: { storeClientId }, body: warehouse }) => {
        const body = await forStore(ports, storeClientId, (store) =>
          marketplace.createWarehouse(store, warehouse, inTime()),
        );
        return { status: 200, body };
      },
    ),
  ];
}
