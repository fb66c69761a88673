import type { OrderRecord, OrderReference } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { orderKeyOf } from '../rules/order-key.ts';

/** What is kept of an order, by any name of it that is known. */
export async function findOrder(
  orders: Pick<OrderTable, 'get'>,
  storeClientId: string,
  reference: OrderReference,
): Promise<OrderRecord | undefined> {
  const record = await orders.get(storeClientId, orderKeyOf(reference));
  return record?.aliasOf === undefined ? record : orders.get(storeClientId, record.aliasOf);
}
