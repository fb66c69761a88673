import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection, boundedText } from '../../rejections/rules/bounded.ts';
import type { RequestCommand, RequestFault, RequestRecord, RequestRow } from '../../requests/model.ts';
import type { RowFault } from '../model.ts';

/** A command as a rejection names it. */
type RejectedCommand = RequestCommand & { readonly storeClientId: string; readonly productId?: string };

/** A command as rejected whole. Two kinds of command may use the same ID. */
export function rejectionOfCommand(command: RejectedCommand, fault: RowFault): Rejection {
  const at = new Date(command.time).toISOString();
  return boundedRejection({
    storeClientId: command.storeClientId,
    rejectionId: `${at}#${command.commandId}#${command.detailType}`,
    rejectedAt: at,
    code: fault.code,
    message: fault.message,
    ...(fault.field !== undefined && { field: fault.field }),
    ...(fault.details && { details: { ...fault.details } }),
    ...(command.productId !== undefined && { id: boundedText(command.productId) }),
    detailType: command.detailType,
    eventId: command.eventId,
    commandId: command.commandId,
  });
}

/**
 * A row as rejected, under its own command, whatever it was sent together with; the same row of the same command always
 * gets the same ID.
 */
export function rejectionOfRow(
  command: RejectedCommand,
  { index, id, sku, externalId }: Omit<RequestRow, 'command'>,
  fault: RowFault,
): Rejection {
  const rows = command.detailType === 'product.delete.requested' ? 'ids' : 'products';
  const field = fault.field === undefined || fault.field === '' ? '' : `.${fault.field}`;
  const whole = rejectionOfCommand(command, fault);
  return {
    ...whole,
    rejectionId: `${whole.rejectionId}#${index}`,
    rowIndex: index,
    field: boundedText(`detail.${rows}.${index}${field}`),
    ...(id !== undefined && { id: boundedText(id) }),
    ...(sku !== undefined && { sku }),
    ...(externalId !== undefined && { externalId }),
  };
}

/**
 * Rows of a request as rejected.
 *
 * @param faultAt why the row at a position of the request is rejected; `undefined` where it is not.
 */
export function rejectionsOf(
  { storeClientId, commands, rows }: Pick<RequestRecord, 'storeClientId' | 'commands' | 'rows'>,
  faultAt: (position: number) => RowFault | undefined,
): Rejection[] {
  return rows.flatMap((row, position) => {
    const command = commands[row.command];
    const fault = faultAt(position);
    return command === undefined || fault === undefined
      ? []
      : [rejectionOfRow({ ...command, storeClientId }, row, fault)];
  });
}

/** Why a request was refused, as the fault of its rows. */
export function faultOfRequest({ code, message, requestId, details }: RequestFault): RowFault {
  return { code, message, details: { ...(requestId !== undefined && { requestId }), ...details } };
}
