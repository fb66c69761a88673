import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import type { RequestCommand } from '../../requests/model.ts';
import type { OrderReference } from '../model.ts';

interface Fault {
  readonly code: string;
  readonly message: string;
  /** Of the event. */
  readonly field?: string;
  readonly requestId?: string | undefined;
}

/** A row of an order command as rejected; the same row of the same command always gets the same ID. */
export function rejectionOfOrder(
  command: RequestCommand & { readonly storeClientId: string },
  { index, reference }: { readonly index: number; readonly reference: OrderReference },
  fault: Fault,
): Rejection {
  const whole = rejectionOfOrderCommand(command, { field: `detail.items.${index}`, ...fault });
  return { ...whole, rejectionId: `${whole.rejectionId}#${index}`, rowIndex: index, ...reference };
}

/** An order command as rejected whole. Two kinds of command may use the same ID. */
export function rejectionOfOrderCommand(
  {
    storeClientId,
    commandId,
    eventId,
    detailType,
    time,
  }: RequestCommand & { readonly storeClientId: string },
  { code, message, field, requestId }: Fault,
): Rejection {
  const rejectedAt = new Date(time).toISOString();
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
