import type { OrderRecord } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { orderUnknownSince } from '../rules/claim.ts';
import { orderKeyOf } from '../rules/order-key.ts';
import { updateOrder } from './update-order.ts';

/**
 * Orders with a decision or dropoff of which nobody can tell whether it was done, longest first. One that has yet to
 * take over what is kept under another name of it does so first, and is listed if that leaves something unknown.
 */
export async function listUnknown(
  orders: Pick<OrderTable, 'update' | 'listUnknown'>,
  storeClientId: string,
  query: Parameters<OrderTable['listUnknown']>[1],
): Promise<Awaited<ReturnType<OrderTable['listUnknown']>>> {
  const { orders: found, ...cursor } = await orders.listUnknown(storeClientId, query);
  const whole: OrderRecord[] = [];
  for (const order of found) whole.push(await wholeOrder(orders, order));
  const joined = whole.flatMap(({ joined = [] }) => joined);
  const otherNames = new Set(joined.map((invoiceNumber) => orderKeyOf({ invoiceNumber })));
  const isUnknown = (order: OrderRecord) =>
    !otherNames.has(order.orderKey) && (orderUnknownSince(order) ?? Number.POSITIVE_INFINITY) <= query.now;
  return { orders: whole.filter(isUnknown), ...cursor };
}

async function wholeOrder(orders: Pick<OrderTable, 'update'>, order: OrderRecord): Promise<OrderRecord> {
  if (order.joining === undefined) return order;
  return (await updateOrder(orders, order.storeClientId, order.orderKey, () => undefined)) ?? order;
}
