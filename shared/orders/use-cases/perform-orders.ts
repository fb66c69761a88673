import { ConnectorError } from '../../errors/connector-error.ts';
import type { IncomingEvent } from '../../events/incoming.ts';
import type { Domain } from '../../requests/domain.ts';
import type { RequestRecord } from '../../requests/model.ts';
import { hadNoEffect } from '../../requests/rules/deferral.ts';
import { identifiersIn } from '../../requests/rules/rejection.ts';
import { type CommandEnd, performCommands } from '../../requests/use-cases/perform-commands.ts';
import { type OrderCommand, orderKeyOf } from '../model.ts';
import type { OrderPorts } from '../ports.ts';
import { orderNameFault, planOrders } from '../rules/plan-orders.ts';
import { endsOf, type RowEnd } from '../rules/request-ends.ts';
import { applyOrders } from './apply-orders.ts';
import { sendOrders } from './send-orders.ts';

type OrderEvent = IncomingEvent<'order.decision.requested'> | IncomingEvent<'order.dropoff.requested'>;

/** The ledger's domain for decisions (§4.16) and dropoffs (§4.17). */
export function createOrderDomain(ports: OrderPorts): Domain<OrderCommand> {
  return {
    detailTypes: ['order.decision.requested', 'order.dropoff.requested'],
    read: (event) => readOrderCommand(event as OrderEvent),
    subjectsOf: ({ items }) =>
      items.flatMap((item) => {
        const names = identifiersIn(item, ['orderId', 'invoiceNumber']);
        return Object.keys(names).length === 0 ? [] : orderKeyOf(names);
      }),
    rowsInRecord: true,
    plan: (commands, store) => planOrders(commands, store, ports.itemsPerRequest),
    // All rows of a request have the same kind of name.
    staleFault: ({ rows: [row = {}] }, store) => orderNameFault(row, store),
    isRepeatable: () => false,
    send: (request, recordAttempt) => sendOrders(ports, request, recordAttempt),
    apply: (record) => applyOrders(ports, record),
  };
}

function readOrderCommand({ id, time, detailType, detail }: OrderEvent): OrderCommand {
  const { storeClientId, commandId = id, items, retry = false } = detail;
  const action = detailType === 'order.decision.requested' ? 'decision' : 'dropoff';
  return { action, storeClientId, commandId, eventId: id, detailType, time, items, retry };
}

/** The outcome of one row of a command. */
export interface OrderRowOutcome extends Omit<RowEnd, 'state' | 'decision'> {
  readonly index: number;
  /** `not sent`: it can be given again; `code` and `message` say why. */
  readonly state: 'done' | 'done before' | 'rejected' | 'unknown' | 'not sent';
}

/**
 * Performs one command and waits for its outcome.
 *
 * @returns the outcome of each row, in their order.
 * @throws the error of a command that did not end, except ORDERS_BUSY, if none of its orders has an outcome.
 */
export async function performOrders(ports: OrderPorts, command: OrderCommand): Promise<OrderRowOutcome[]> {
  const ends = await performCommands(ports, createOrderDomain(ports), [command]);
  return outcomesOf(command, ends.get(command) ?? { requests: [], rejections: [] });
}

function outcomesOf(
  { commandId, items }: OrderCommand,
  { requests, rejections, error }: CommandEnd,
): OrderRowOutcome[] {
  const rejectedRows = new Map<number, Omit<OrderRowOutcome, 'index'>>();
  const byOrder = new Map<string, Omit<OrderRowOutcome, 'index'>>();
  if (error !== undefined && requests.length === 0 && !isOrdersBusy(error)) throw error;
  let others = error === undefined ? undefined : notSent(error);
  for (const { rowIndex, code, message } of rejections) {
    const rejected = { state: 'rejected', code, message } as const;
    if (rowIndex === undefined) others = rejected;
    else rejectedRows.set(rowIndex, rejected);
  }
  for (const record of requests) {
    for (const [position, { state, decision: _, ...facts }] of endsOf(record).entries()) {
      const { command = 0, ...row } = record.rows[position] ?? {};
      if (record.commands[command]?.commandId !== commandId) continue;
      byOrder.set(orderKeyOf(row), { ...facts, state: state === 'refused' ? 'rejected' : state });
    }
  }
  return items.flatMap((item, index) => {
    const orderKey = orderKeyOf(identifiersIn(item, ['orderId', 'invoiceNumber']));
    const outcome = rejectedRows.get(index) ?? byOrder.get(orderKey) ?? others;
    return outcome === undefined ? [] : [{ index, ...outcome }];
  });
}

/** The outcome of the orders of a request that did not end. */
function notSent(error: unknown): Omit<OrderRowOutcome, 'index'> {
  if (!hadNoEffect(error)) throw error;
  const { code, message } = error;
  if (!isOrdersBusy(error)) return { state: 'not sent', code, message };
  const busy = 'another command is sending this order, or another order of the same request, now';
  return { state: 'not sent', code, message: busy };
}

function isOrdersBusy(error: unknown): boolean {
  return error instanceof ConnectorError && error.code === 'ORDERS_BUSY';
}

/** Counts the rows of newly applied requests by their end. */
export function countOrders(requests: readonly RequestRecord[]): {
  done: number;
  rejected: number;
  unknown: number;
} {
  const states = requests
    .filter(({ appliedAt }) => appliedAt === undefined)
    .flatMap(endsOf)
    .map(({ state }) => state);
  const count = (...counted: readonly string[]) => states.filter((state) => counted.includes(state)).length;
  return { done: count('done'), rejected: count('rejected', 'refused'), unknown: count('unknown') };
}
