import { isDeepStrictEqual } from 'node:util';
import type { ActionRecord, OrderRecord } from '../model.ts';
import { orderKeyOf } from './order-key.ts';

/** The more an action's state forbids, the more it counts. */
const WEIGHT = { withdrawn: 0, refused: 1, sending: 2, unknown: 3, done: 4 } as const;

/** The two names of one order, as an answer shows them. */
export interface OrderNames {
  readonly orderId: string;
  readonly invoiceNumber: string;
}

/** What is kept of an order under its `orderId`, once what was kept under its invoice number is known to be the same. */
export function mergedOrder(
  current: OrderRecord | undefined,
  byInvoice: OrderRecord | undefined,
  storeClientId: string,
  { orderId, invoiceNumber }: OrderNames,
): OrderRecord {
  const decision = weightier(current?.decision, byInvoice?.decision);
  const dropoff = weightier(current?.dropoff, byInvoice?.dropoff);
  const documents = { ...byInvoice?.documents, ...current?.documents };
  return {
    storeClientId,
    orderKey: orderKeyOf({ orderId }),
    orderId,
    invoiceNumber,
    ...(decision && { decision }),
    ...(dropoff && { dropoff }),
    ...(Object.keys(documents).length > 0 && { documents }),
  };
}

/**
 * The invoice number's record as a mere name of the order. `undefined` when it has changed since `merged` was taken
 * over, so that it must be merged again.
 */
export function aliasOfOrder(
  current: OrderRecord | undefined,
  merged: OrderRecord | undefined,
  storeClientId: string,
  { orderId, invoiceNumber }: OrderNames,
): OrderRecord | undefined {
  if (!isDeepStrictEqual(current, merged)) return undefined;
  const orderKey = orderKeyOf({ invoiceNumber });
  return { storeClientId, orderKey, aliasOf: orderKeyOf({ orderId }), orderId, invoiceNumber };
}

/** Of two records of one action the one that forbids more, of two alike the earlier; of one attempt the one that ended. */
function weightier(a: ActionRecord | undefined, b: ActionRecord | undefined): ActionRecord | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.attemptId === b.attemptId) return (a.endedAt ?? '') >= (b.endedAt ?? '') ? a : b;
  if (WEIGHT[a.state] !== WEIGHT[b.state]) return WEIGHT[a.state] > WEIGHT[b.state] ? a : b;
  return a.startedAt <= b.startedAt ? a : b;
}
