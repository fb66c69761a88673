import { enveloped } from '../api/answers.ts';
import { type Endpoint, type StoreContext, storeEndpoint } from '../api/endpoint.ts';
import type { PendingRow, RowError } from '../batches/batch.ts';
import { isoTime } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { dropoffAnswer, dropoffsBody } from '../schemas/order.ts';
import type { Order, SubStatus } from '../state/order.ts';

/** The states whose rows are skipped with STATUS_NOT_ALLOWED (§3). */
const SKIPPED: readonly SubStatus[] = ['cancelled', 'pending'];

interface OrderKey {
  orderId?: string | undefined;
  invoiceNumber?: string | undefined;
}

/** §4.17 */
export const orderDropoffs: Endpoint = storeEndpoint({
  operationId: 'requestDropoffs',
  section: '4.17',
  summary: 'Request dropoffs (bulk), ASYNC',
  method: 'POST',
  path: '/partner/stores/orders/dropoffs',
  body: dropoffsBody,
  answer: dropoffAnswer,
  envelope: 'enveloped',
  errors: ['ORDER_026'],
  handle: (call) => {
    const planned = call.body.items.map((item, rowIndex) => planDropoff(call, item, rowIndex));
    const pending = planned.filter((row): row is PendingRow => 'apply' in row);
    const skipped = planned.filter((row): row is RowError => !('apply' in row));
    const summary = { total: planned.length, accepted: pending.length, skipped: skipped.length };
    const errors = skipped.map(({ rowIndex: _, ...error }) => error);
    if (pending.length === 0) throw new ApiError('ORDER_026', { context: { summary, errors } });
    const { batchId, requestId } = call.submit({ kind: 'order.dropoff', pending, errors: skipped });
    const message =
      skipped.length === 0 ? 'All items were accepted' : 'Some items were accepted and some rejected';
    return enveloped(message, { requestId, batchId, summary, errors });
  },
});

function planDropoff(
  call: StoreContext,
  { orderId, invoiceNumber }: OrderKey,
  rowIndex: number,
): PendingRow | RowError {
  const key = { ...(orderId ? { orderId } : {}), ...(invoiceNumber ? { invoiceNumber } : {}) };
  const order = call.marketplace.order(key);
  if (order === undefined || order.storeClientId !== call.store.clientId) {
    return { rowIndex, ...key, reason: 'ORDER_NOT_FOUND', message: 'Order not found' };
  }
  const reason = SKIPPED.includes(order.subStatus) ? 'STATUS_NOT_ALLOWED' : undefined;
  order.dropoffs.push({
    ...key,
    requestId: call.requestId,
    time: isoTime(call.now),
    skipped: reason ?? null,
  });
  if (reason) {
    return { rowIndex, ...key, orderId: order.orderId, reason, message: `Order is ${order.subStatus}` };
  }
  const accepted = { rowIndex, orderId: order.orderId, invoiceNumber: order.invoiceNumber };
  return { accepted, apply: () => dropOff(order, accepted) };
}

/** The specification shows no transitions. Here an order that waits for its pickup then waits for its dropoff. */
function dropOff(order: Order, accepted: PendingRow['accepted']) {
  if (order.subStatus === 'confirmed' || order.subStatus === 'waiting_pickup')
    order.subStatus = 'waiting_drop_off';
  return { accepted };
}
