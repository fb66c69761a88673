import type { OrderRecord } from '../model.ts';
import type { OrderTable } from '../ports.ts';

/** Updates an order under the name it is known by; follows a name that was found to be another's. */
export async function updateOrder(
  orders: Pick<OrderTable, 'update'>,
  storeClientId: string,
  orderKey: string,
  change: (current: OrderRecord | undefined) => OrderRecord | undefined,
): Promise<OrderRecord | undefined> {
  const record = await orders.update(storeClientId, orderKey, (current) =>
    current?.aliasOf === undefined ? change(current) : undefined,
  );
  if (record?.aliasOf === undefined) return record;
  return orders.update(storeClientId, record.aliasOf, change);
}
