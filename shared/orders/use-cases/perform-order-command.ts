import {
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../commands/use-cases/for-connected-store.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import type { IncomingEvent } from '../../events/incoming.ts';
import { type MessageFacts, parseIncomingEvent } from '../../events/parse-incoming-event.ts';
import { rejectionOfEvent } from '../../rejections/rules/event-rejection.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { OrderCommand, RowOutcome } from '../model.ts';
import { rejectionOfOrderCommand } from '../rules/order-rejection.ts';
import { type PerformOrdersPorts, performOrders } from './perform-orders.ts';

export type PerformOrderCommandPorts = ForConnectedStorePorts & PerformOrdersPorts;

/** A message of the order commands queue. */
export interface OrderCommandMessage extends MessageFacts {
  readonly body: string;
}

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
}

const ORDER_DETAIL_TYPES = ['order.decision.requested', 'order.dropoff.requested'] as const;

/**
 * Does one order command. What is no command, and a command of an unknown store, is rejected.
 *
 * @throws {ConnectorError | MarketplaceError} when the command, or the rest of it, is to be done by a later delivery.
 */
export async function performOrderCommand(
  ports: PerformOrderCommandPorts,
  message: OrderCommandMessage,
): Promise<OrderCommandResult> {
  const parsed = parseIncomingEvent(message.body, ORDER_DETAIL_TYPES, message);
  if (!parsed.ok) {
    await reportRejections(ports, [rejectionOfEvent(parsed.refusal, message.sentAt)]);
    return { storeClientId: parsed.refusal.storeClientId, done: 0, rejected: 1, unknown: 0 };
  }
  const command = commandOf(parsed.event);
  const { storeClientId, commandId, action } = command;
  const outcomes = await forConnectedStore(ports, storeClientId, (store) =>
    performOrders(ports, command, store),
  );
  if (outcomes === undefined) {
    const unknown = {
      code: 'STORE_UNKNOWN',
      message: `store ${storeClientId} is not connected to this stack`,
      field: 'detail.storeClientId',
    };
    await reportRejections(ports, [rejectionOfOrderCommand(command, unknown)]);
    return { storeClientId, commandId, action, done: 0, rejected: 1, unknown: 0 };
  }
  const count = (state: RowOutcome['state']) => outcomes.filter((outcome) => outcome.state === state).length;
  if (count('busy') > 0) {
    throw new ConnectorError(`${count('busy')} orders are being sent by another command`, {
      code: 'ORDERS_BUSY',
      retryable: true,
    });
  }
  return {
    storeClientId,
    commandId,
    action,
    done: count('done'),
    rejected: count('rejected'),
    unknown: count('unknown'),
  };
}

function commandOf(
  event: IncomingEvent<'order.decision.requested'> | IncomingEvent<'order.dropoff.requested'>,
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
  };
}
