import type { OrderReference } from '../model.ts';

/** Key of an order: the identifier that was given, with its kind. The case of a UUID says nothing. */
export function orderKeyOf({ orderId, invoiceNumber }: OrderReference): string {
  if (orderId !== undefined) return `orderId:${orderId.toLowerCase()}`;
  return `invoiceNumber:${invoiceNumber ?? ''}`;
}

/** The identifier alone, without what else a row carries. */
export function referenceOf({ orderId, invoiceNumber }: OrderReference): OrderReference {
  return { ...(orderId !== undefined && { orderId }), ...(invoiceNumber !== undefined && { invoiceNumber }) };
}
