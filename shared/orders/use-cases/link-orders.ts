import { ConnectorError } from '../../errors/connector-error.ts';
import type { OrderAnswer } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { matchSkipped } from '../rules/match-skipped.ts';
import { aliasOfOrder, mergedOrder, type OrderNames } from '../rules/merge-orders.ts';
import { orderKeyOf } from '../rules/order-key.ts';
import type { SettledAttempt } from './end-orders.ts';

/** How often a merge is begun anew because the invoice number's record changed under it. */
const MAX_TRIES = 5;

/** A skipped row that was sent by its invoice number and comes back with its order ID shows that they are one. */
export async function linkOrders(
  { orders }: { readonly orders: OrderTable },
  { command, rows }: SettledAttempt,
  answer: OrderAnswer,
): Promise<void> {
  const sent = rows.map(({ item }) => item);
  for (const [position, { orderId }] of matchSkipped(sent, answer.skipped).skipped) {
    const invoiceNumber = sent[position]?.invoiceNumber;
    if (orderId === undefined || invoiceNumber === undefined) continue;
    await linkOrder(orders, command.storeClientId, { orderId, invoiceNumber });
  }
}

/**
 * Makes one order of two names that an answer shows to be one: what is kept under the invoice number moves under the
 * order ID, and the invoice number becomes another name of it.
 *
 * @throws {ConnectorError} WRITE_CONTENTION (retryable) when the record keeps changing.
 */
async function linkOrder(orders: OrderTable, storeClientId: string, names: OrderNames): Promise<void> {
  const orderKey = orderKeyOf({ orderId: names.orderId });
  const invoiceKey = orderKeyOf({ invoiceNumber: names.invoiceNumber });
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const byInvoice = await orders.get(storeClientId, invoiceKey);
    if (byInvoice?.aliasOf !== undefined) return;
    await orders.update(storeClientId, orderKey, (current) =>
      mergedOrder(current, byInvoice, storeClientId, names),
    );
    const alias = await orders.update(storeClientId, invoiceKey, (current) =>
      aliasOfOrder(current, byInvoice, storeClientId, names),
    );
    if (alias?.aliasOf !== undefined) return;
  }
  throw new ConnectorError(`order ${names.orderId} was written too often`, {
    code: 'WRITE_CONTENTION',
    retryable: true,
  });
}
