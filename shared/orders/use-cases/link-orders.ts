import type { OrderAnswer } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { type OrderNames, withJoining } from '../rules/join-orders.ts';
import { matchSkipped } from '../rules/match-skipped.ts';
import { orderKeyOf } from '../rules/order-key.ts';
import type { SettledAttempt } from './end-orders.ts';
import { updateOrder } from './update-order.ts';

export interface LinkOrdersPorts {
  readonly orders: Pick<OrderTable, 'update'>;
  readonly clock: { now(): number };
}

/** A skipped row that was sent by its invoice number and comes back with its order ID shows that they are one. */
export async function linkOrders(
  ports: LinkOrdersPorts,
  { command, rows }: SettledAttempt,
  answer: OrderAnswer,
): Promise<void> {
  const sent = rows.map(({ item }) => item);
  for (const [position, { orderId }] of matchSkipped(sent, answer.skipped).skipped) {
    const invoiceNumber = sent[position]?.invoiceNumber;
    if (orderId === undefined || invoiceNumber === undefined) continue;
    await linkOrder(ports, command.storeClientId, { orderId, invoiceNumber });
  }
}

/**
 * Makes one order of two names that an answer shows to be one: what is kept under the invoice number moves under the
 * order ID, and the invoice number becomes another name of it. Every write is of a single item, and the first one marks
 * the order: wherever a crash comes after it, whoever meets the order next does the rest.
 */
async function linkOrder(
  { orders, clock }: LinkOrdersPorts,
  storeClientId: string,
  names: OrderNames,
): Promise<void> {
  const since = new Date(clock.now()).toISOString();
  await updateOrder(orders, storeClientId, orderKeyOf({ orderId: names.orderId }), (current) =>
    withJoining(current, storeClientId, names, since),
  );
}
