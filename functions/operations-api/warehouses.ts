import type { MarketplaceClient } from '../../shared/marketplace/client.ts';
import { createdWarehouse, newWarehouse, warehouseList } from '../../shared/marketplace/warehouses.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import type { ForConnectedStorePorts } from '../../shared/stores/use-cases/for-connected-store.ts';
import { doubtWarehouses, rememberWarehouses } from '../../shared/stores/use-cases/store-warehouses.ts';
import { forStore } from './for-store.ts';
import { inTime } from './in-time.ts';
import { type Route, route } from './route.ts';
import { storePath } from './stores.ts';

export interface WarehouseRoutesPorts extends ForConnectedStorePorts {
  readonly stores: Pick<StoreTable, 'get' | 'suspend' | 'forgetEvent' | 'putWarehouses'>;
  readonly marketplace: Pick<MarketplaceClient, 'listWarehouses' | 'createWarehouse'>;
}

const WAREHOUSES = '/stores/{storeClientId}/warehouses';

/**
 * A store's warehouses, answered with the marketplace's own envelope. A list that is seen is remembered; one that a
 * creation may have changed is read anew when it is next needed.
 */
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
        const clientIds = body.data.map(({ clientId }) => clientId);
        await rememberWarehouses(ports, storeClientId, clientIds);
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
        const body = await forStore(ports, storeClientId, async (store) => {
          try {
            return await marketplace.createWarehouse(store, warehouse, inTime());
          } finally {
            // Also after a failure: it may have been made and its answer lost.
            await doubtWarehouses(ports, store);
          }
        });
        return { status: 200, body };
      },
    ),
  ];
}
