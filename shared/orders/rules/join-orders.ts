import type { OrderRecord } from '../model.ts';
import { mergedFacts } from './merge-orders.ts';
import { orderKeyOf } from './order-key.ts';

/** The two names of one order, as an answer shows them. */
export interface OrderNames {
  readonly orderId: string;
  readonly invoiceNumber: string;
}

/**
 * The order marked with an invoice number whose record it is to take over; `undefined` where it did.
 *
 * @param since ISO 8601.
 */
export function withJoining(
  current: OrderRecord | undefined,
  storeClientId: string,
  { orderId, invoiceNumber }: OrderNames,
  since: string,
): OrderRecord | undefined {
  if (current?.joined?.includes(invoiceNumber)) return undefined;
  return {
    ...current,
    storeClientId,
    orderKey: orderKeyOf({ orderId }),
    orderId,
    joining: { invoiceNumber, since },
  };
}

/**
 * The invoice number's record as a mere name of the order that takes it over. What was kept there goes with it in the
 * same write: from then on it can change in one place only. `undefined` for what is a mere name already.
 */
export function asOtherName(
  current: OrderRecord | undefined,
  { storeClientId, orderKey: aliasOf, orderId }: OrderRecord,
  invoiceNumber: string,
): OrderRecord | undefined {
  if (current?.aliasOf !== undefined) return undefined;
  const handedOn = mergedFacts(current ?? {}, {});
  const orderKey = orderKeyOf({ invoiceNumber });
  return { storeClientId, orderKey, aliasOf, orderId, invoiceNumber, handedOn };
}

/**
 * The order with what was kept under its other name, once and for all. `undefined` where it has that already; nothing
 * is taken of a name that was found to be another order's before.
 */
export function withTakenOver(current: OrderRecord | undefined, name: OrderRecord): OrderRecord | undefined {
  const { invoiceNumber, aliasOf, handedOn = {} } = name;
  if (current?.joining === undefined || current.joining.invoiceNumber !== invoiceNumber) return undefined;
  const { joining, joined = [], ...order } = current;
  const rest = { ...order, joined: [...joined, joining.invoiceNumber] };
  return aliasOf === order.orderKey ? { ...rest, ...mergedFacts(rest, handedOn), invoiceNumber } : rest;
}
