import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection, isIdentifier } from '../../rejections/rules/bounded.ts';
import type { OrderCommand } from '../model.ts';

interface Fault {
  readonly code: string;
  readonly message: string;
  /** Of the event. */
  readonly field?: string;
  readonly requestId?: string | undefined;
}

/** A row of an order command as rejected; the same row of the same command always gets the same ID. */
export function rejectionOfOrder(
  command: OrderCommand,
  { index, item }: { readonly index: number; readonly item: unknown },
  fault: Fault,
): Rejection {
  const whole = rejectionOfOrderCommand(command, { field: `detail.items.${index}`, ...fault });
  return {
    ...whole,
    rejectionId: `${whole.rejectionId}#${index}`,
    rowIndex: index,
    ...identifiersOf(item),
  };
}

/** An order command as rejected whole. Two kinds of command may use the same ID. */
export function rejectionOfOrderCommand(command: OrderCommand, fault: Fault): Rejection {
  const { storeClientId, commandId, eventId, action, time } = command;
  const rejectedAt = new Date(time).toISOString();
  const detailType = `order.${action}.requested`;
  const { code, message, field, requestId } = fault;
  return boundedRejection({
    storeClientId,
    rejectionId: `${rejectedAt}#${commandId}#${detailType}`,
    rejectedAt,
    code,
    message,
    ...(field !== undefined && { field }),
    detailType,
    eventId,
    commandId,
    ...(requestId !== undefined && { details: { requestId } }),
  });
}

function identifiersOf(item: unknown): Pick<Rejection, 'orderId' | 'invoiceNumber'> {
  const { orderId, invoiceNumber } = (typeof item === 'object' && item !== null ? item : {}) as Record<
    string,
    unknown
  >;
  return {
    ...(isIdentifier(orderId) && { orderId }),
    ...(isIdentifier(invoiceNumber) && { invoiceNumber }),
  };
}
