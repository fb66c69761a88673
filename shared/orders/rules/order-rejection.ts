import type { Rejection } from '../../rejections/model.ts';
import type { OrderCommand } from '../model.ts';

/** What is longer is no identifier: it would only bloat what is reported. */
const MAX_ID_LENGTH = 200;

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
  return {
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
  };
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

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH;
}
