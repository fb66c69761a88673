import type { OrderRecord } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { asOtherName, withTakenOver } from '../rules/join-orders.ts';
import { orderKeyOf } from '../rules/order-key.ts';

/**
 * Has an order take over what is kept under the invoice number that it is marked with. May be done by several at once,
 * and again after a crash: what the number's record lets go of stays with it, and is taken over once.
 */
export async function finishJoin(orders: Pick<OrderTable, 'update'>, marked: OrderRecord): Promise<void> {
  const { storeClientId, orderKey, joining } = marked;
  if (joining === undefined) return;
  const { invoiceNumber } = joining;
  const name = await orders.update(storeClientId, orderKeyOf({ invoiceNumber }), (current) =>
    asOtherName(current, marked, invoiceNumber),
  );
  if (name === undefined) return;
  await orders.update(storeClientId, orderKey, (current) => withTakenOver(current, name));
}
