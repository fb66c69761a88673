import { outOfTime } from '../../commands/request-time.ts';
import {
  type CommandMessage,
  type OrPutOffPorts,
  orPutOff,
  type PutOff,
} from '../../commands/use-cases/or-put-off.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import type { IncomingEvent } from '../../events/incoming.ts';
import { parseIncomingEvent } from '../../events/parse-incoming-event.ts';
import { rejectionOfEvent } from '../../rejections/rules/event-rejection.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { Store } from '../../stores/model.ts';
import { unknownStore } from '../../stores/rules/unknown-store.ts';
import {
  discardedFault,
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../stores/use-cases/for-connected-store.ts';
import type { OrderCommand, RowOutcome } from '../model.ts';
import { rejectionOfOrderCommand } from '../rules/order-rejection.ts';
import { rowsLeftIn, withRowsLeft } from '../rules/rows-left.ts';
import { type PerformOrdersPorts, performOrders } from './perform-orders.ts';

export type OrderPorts = ForConnectedStorePorts & PerformOrdersPorts;

export interface OrderCommandResult {
  readonly storeClientId?: string | undefined;
  readonly commandId?: string;
  readonly action?: OrderCommand['action'];
  /** Orders that the marketplace took. */
  readonly done: number;
  /** Rows, or the whole command, that were refused. */
  readonly rejected: number;
  /** Orders of which nobody can tell. */
  readonly unknown: number;
  /** Why the command, or the rest of it, waits in its queue. */
  readonly putOff?: string;
  /** For how long so far, in milliseconds, where it is the marketplace that keeps it waiting. */
  readonly ageMs?: number;
}

const ORDER_DETAIL_TYPES = ['order.decision.requested', 'order.dropoff.requested'] as const;

/**
 * Does one order command. What is no command, and a command of an unknown store, is rejected; what may be done later
 * waits in the queue, as does what is left of a long command at `stopAt` (epoch ms, default never).
 *
 * @throws {ConnectorError | MarketplaceError} when waiting is not what the command, or the rest of it, needs.
 */
export async function performOrderCommand(
  ports: OrderPorts & OrPutOffPorts,
  message: CommandMessage,
  stopAt = Number.POSITIVE_INFINITY,
): Promise<OrderCommandResult> {
  const parsed = parseIncomingEvent(message.body, ORDER_DETAIL_TYPES, message);
  if (!parsed.ok) {
    await reportRejections(ports, [rejectionOfEvent(parsed.refusal, message.sentAt)]);
    return { storeClientId: parsed.refusal.storeClientId, ...NOTHING, rejected: 1 };
  }
  const command = commandOf(parsed.event, message.body);
  const { storeClientId, commandId, action, time } = command;
  const facts = { storeClientId, commandId, action };
  const reject = async (fault: { code: string; message: string; field?: string }) => {
    await reportRejections(ports, [rejectionOfOrderCommand(command, fault)]);
    return { ...facts, ...NOTHING, rejected: 1 };
  };
  const perform = async (store: Store) => freed(await performOrders(ports, command, store, stopAt));
  const outcomes = await orPutOff(ports, { message, time }, () =>
    forConnectedStore(ports, storeClientId, perform, time).catch((error) => reject(discardedFault(error))),
  );
  if (outcomes === undefined) return reject(unknownStore(storeClientId));
  if ('putOff' in outcomes) return { ...facts, ...NOTHING, ...outcomes };
  if ('rejected' in outcomes) return outcomes;
  const count = (state: RowOutcome['state']) => outcomes.filter((outcome) => outcome.state === state).length;
  const counts = { done: count('done'), rejected: count('rejected'), unknown: count('unknown') };
  return { ...facts, ...counts, ...(await putOffRest(ports, { message, time }, commandId, outcomes)) };
}

/** Has the rows that are left come again, and no others: those have ended, and were told of. */
async function putOffRest(
  ports: OrPutOffPorts,
  { message, time }: { readonly message: CommandMessage; readonly time: number },
  commandId: string,
  outcomes: readonly RowOutcome[],
): Promise<PutOff | undefined> {
  const left = outcomes.filter(({ state }) => state === 'left').map(({ index }) => index);
  if (left.length === 0) return undefined;
  const rest = { ...message, body: withRowsLeft(message.body, left) };
  return orPutOff(ports, { message: rest, time }, () => Promise.reject(outOfTime(commandId)));
}

const NOTHING = { done: 0, rejected: 0, unknown: 0 };

/** @throws {ConnectorError} ORDERS_BUSY when another command is sending some of the orders. */
function freed(outcomes: readonly RowOutcome[]): readonly RowOutcome[] {
  const busy = outcomes.filter(({ state }) => state === 'busy').length;
  if (busy === 0) return outcomes;
  throw new ConnectorError(`${busy} orders are being sent by another command`, {
    code: 'ORDERS_BUSY',
    retryable: true,
  });
}

function commandOf(
  event: IncomingEvent<'order.decision.requested'> | IncomingEvent<'order.dropoff.requested'>,
  body: string,
): OrderCommand {
  const { id, time, detailType, detail } = event;
  return {
    action: detailType === 'order.decision.requested' ? 'decision' : 'dropoff',
    storeClientId: detail.storeClientId,
    commandId: detail.commandId ?? id,
    eventId: id,
    time,
    items: detail.items,
    retry: detail.retry ?? false,
    rowsLeft: rowsLeftIn(body),
  };
}
