import { type EraseOrderPorts, eraseOrder, erasureSchema } from '../../shared/documents/erase-order.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { type ViewOrdersPorts, viewOrders } from '../../shared/trace/view-orders.ts';
import { getStore, storePath } from './for-store.ts';
import { orderReference } from './orders.ts';
import { type Route, route } from './route.ts';

const orderToErase = orderReference.refine(
  ({ orderId, invoiceNumber }) => orderId !== undefined || invoiceNumber !== undefined,
  { message: 'give orderId, invoiceNumber or both' },
);

export interface ErasureRoutesPorts extends Omit<EraseOrderPorts, 'waitsOf'>, ViewOrdersPorts {
  readonly stores: Pick<StoreTable, 'get'>;
  readonly clock: Clock;
}

export function erasureRoutes(ports: ErasureRoutesPorts): Route[] {
  return [
    route(
      'POST /stores/{storeClientId}/orders/erase',
      {
        summary:
          'Erases the documents, the records and the rejections of an order, and says what is left of it and when that is gone. May be repeated',
        path: storePath,
        body: orderToErase,
        answers: { 200: erasureSchema },
      },
      async ({ path: { storeClientId }, body }) => {
        await getStore(ports.stores, storeClientId);
        const waitsOf: EraseOrderPorts['waitsOf'] = async (orders) =>
          (await viewOrders(ports, orders)).flatMap(({ waits = [] }) => waits);
        return eraseOrder({ ...ports, waitsOf }, storeClientId, body);
      },
    ),
  ];
}
