import * as z from 'zod';
import { bare } from '../api/answers.ts';
import { type Endpoint, storeEndpoint } from '../api/endpoint.ts';
import { isoTime } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { decisionsBody } from '../schemas/order.ts';
import type { Order } from '../state/order.ts';

/** §4.16: without envelope. One unknown order fails the whole call. */
export const orderDecisions: Endpoint = storeEndpoint({
  operationId: 'decideOrders',
  section: '4.16',
  summary: 'Order decisions (bulk)',
  method: 'POST',
  path: '/partner/stores/orders/decisions',
  body: decisionsBody,
  answer: z.object({ success: z.literal(true), message: z.string() }),
  envelope: 'bare',
  errors: ['ORDER_001'],
  handle: ({ marketplace, store, body, now }) => {
    const decided = body.items.map((item) => {
      const order = marketplace.order(item);
      if (order !== undefined && order.storeClientId === store.clientId) return { order, item };
      const { orderId, invoiceNumber } = item;
      throw new ApiError('ORDER_001', { context: { orderId, invoiceNumber } });
    });
    for (const { order, item } of decided) {
      order.decisions.push({ ...item, time: isoTime(now) });
      decide(order, item.decision);
    }
    return bare({ success: true, message: 'Order decisions processed' });
  },
});

/** The specification shows no transitions. Here a decision acts on a pending order only. */
function decide(order: Order, decision: 'accept' | 'reject'): void {
  if (order.subStatus === 'pending') order.subStatus = decision === 'accept' ? 'confirmed' : 'cancelled';
}
