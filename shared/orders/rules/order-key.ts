import type { OrderReference } from '../model.ts';

/** Key of an order: the name that its store uses, with its kind. UUIDs are compared in lower case. */
export function orderKeyOf({ orderId, invoiceNumber }: OrderReference): string {
  if (orderId !== undefined) return `orderId:${orderId.toLowerCase()}`;
  return `invoiceNumber:${invoiceNumber ?? ''}`;
}

/** The name alone, without what else a row carries. */
export function referenceOf({ orderId, invoiceNumber }: OrderReference): OrderReference {
  return { ...(orderId !== undefined && { orderId }), ...(invoiceNumber !== undefined && { invoiceNumber }) };
}
