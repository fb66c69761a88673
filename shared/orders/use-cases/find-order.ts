import type { OrderRecord, OrderReference } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { orderKeyOf } from '../rules/order-key.ts';
import { updateOrder } from './update-order.ts';

/** What is kept of an order, by any name of it that is known. */
export function findOrder(
  orders: Pick<OrderTable, 'update'>,
  storeClientId: string,
  reference: OrderReference,
): Promise<OrderRecord | undefined> {
  return updateOrder(orders, storeClientId, orderKeyOf(reference), () => undefined);
}
