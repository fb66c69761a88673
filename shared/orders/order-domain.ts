import type { IncomingEvent } from '../events/incoming.ts';
import type { Domain } from '../requests/domain.ts';
import type { RequestRecord } from '../requests/model.ts';
import { identifiersIn } from '../requests/rules/rejection.ts';
import { type OrderCommand, type OrderReference, orderKeyOf } from './model.ts';
import type { OrderPorts } from './ports.ts';
import { orderNameFault, planOrders } from './rules/plan-orders.ts';
import { endsOf, type RowEnd } from './rules/request-ends.ts';
import { applyOrders } from './use-cases/apply-orders.ts';
import { noteWaitingOrders } from './use-cases/note-waiting-orders.ts';
import { sendOrders } from './use-cases/send-orders.ts';

type OrderEvent = IncomingEvent<'order.decision.requested'> | IncomingEvent<'order.dropoff.requested'>;

/** The ledger's domain for decisions (§4.16) and dropoffs (§4.17). */
export function createOrderDomain(ports: OrderPorts): Domain<OrderCommand> {
  return {
    detailTypes: ['order.decision.requested', 'order.dropoff.requested'],
    read: (event) => readOrderCommand(event as OrderEvent),
    subjectsOf: (command) => referencesOf(command).map(orderKeyOf),
    noteWaiting: (command) => noteWaitingOrders(ports, command, referencesOf(command)),
    rowsInRecord: true,
    plan: (commands, store) => planOrders(commands, store, ports.itemsPerRequest),
    // All rows of a request have the same kind of name.
    staleFault: ({ rows: [row = {}] }, store) => orderNameFault(row, store),
    isRepeatable: false,
    send: (request, recordAttempt) => sendOrders(ports, request, recordAttempt),
    apply: (record) => applyOrders(ports, record),
  };
}

function referencesOf({ items }: OrderCommand): OrderReference[] {
  const names = items.map((item) => identifiersIn(item, ['orderId', 'invoiceNumber']));
  return names.filter((one) => Object.keys(one).length > 0);
}

function readOrderCommand({ id, time, detailType, detail }: OrderEvent): OrderCommand {
  const { storeClientId, commandId = id, items, retry = false } = detail;
  const action = detailType === 'order.decision.requested' ? 'decision' : 'dropoff';
  return { action, storeClientId, commandId, eventId: id, detailType, time, items, retry };
}

/** Counts the rows of newly applied requests by their end. Orders that were accepted before are not counted. */
export function countOrders(requests: readonly RequestRecord[]): Record<RowEnd['state'], number> {
  const ends = requests.filter(({ appliedAt }) => appliedAt === undefined).flatMap(endsOf);
  const count = (counted: RowEnd['state']) =>
    ends.filter(({ state, wasSent }) => state === counted && (wasSent || state !== 'accepted')).length;
  return { accepted: count('accepted'), rejected: count('rejected'), unknown: count('unknown') };
}
