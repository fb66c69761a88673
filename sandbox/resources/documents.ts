import * as z from 'zod';
import { pdf } from '../api/answers.ts';
import { type Endpoint, type StoreContext, storeEndpoint } from '../api/endpoint.ts';
import { invoicePdf, shippingLabelPdf } from '../documents/order-pdf.ts';
import { ApiError } from '../errors.ts';
import { booleanQuery } from '../schemas/common.ts';
import type { Order, SubStatus } from '../state/order.ts';

const LABEL_STATES: readonly SubStatus[] = ['confirmed', 'waiting_pickup', 'waiting_drop_off'];
const INVOICE_STATES: readonly SubStatus[] = [...LABEL_STATES, 'in_transit', 'delivered', 'order_completed'];

/** The path's order, which must be in an allowed state. */
function eligibleOrder(call: StoreContext, allowed: (order: Order) => readonly SubStatus[]): Order {
  const orderId = call.params.orderId ?? '';
  const order = call.marketplace.order({ orderId });
  if (order === undefined || order.storeClientId !== call.store.clientId) {
    throw new ApiError('ORDER_001', { context: { orderId } });
  }
  const allowedSubstatuses = allowed(order);
  if (!allowedSubstatuses.includes(order.subStatus)) {
    throw new ApiError('ORDER_021', { context: { orderId, allowedSubstatuses } });
  }
  return order;
}

const shippingLabel = storeEndpoint({
  operationId: 'generateShippingLabel',
  section: '4.18',
  summary: 'Generate shipping label',
  method: 'POST',
  path: '/partner/stores/orders/{orderId}/documents/shipping-label',
  query: z.looseObject({ includeItems: booleanQuery.optional() }),
  answer: undefined,
  envelope: 'pdf',
  errors: ['ORDER_001', 'ORDER_021', 'SYS_DEP_503'],
  handle: async (call) => {
    const order = eligibleOrder(call, () => LABEL_STATES);
    const bytes = await shippingLabelPdf(order, call.query.includeItems === true);
    return pdf(bytes, `shipping-label-${order.invoiceNumber}.pdf`);
  },
});

const invoice = storeEndpoint({
  operationId: 'generateInvoice',
  section: '4.19',
  summary: 'Generate invoice',
  method: 'POST',
  path: '/partner/stores/orders/{orderId}/documents/invoice',
  answer: undefined,
  envelope: 'pdf',
  errors: ['ORDER_001', 'ORDER_021', 'SYS_DEP_503'],
  handle: async (call) => {
    const order = eligibleOrder(call, ({ complained }) =>
      complained ? [...INVOICE_STATES, 'complaint_resolved'] : INVOICE_STATES,
    );
    return pdf(await invoicePdf(order), `invoice-${order.invoiceNumber}.pdf`);
  },
});

/** §4.18, 4.19 */
export const documents: Endpoint[] = [shippingLabel, invoice];
