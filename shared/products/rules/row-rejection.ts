import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection, boundedText } from '../../rejections/rules/bounded.ts';
import type { CommandRow, ProductCommand, RowFault } from '../model.ts';
import { identifiersOf } from './identifiers.ts';

/**
 * A row as rejected, under its own command, whatever it was done together with; the same row of the same command always
 * gets the same ID.
 */
export function rejectionOfRow({ command, index, product }: CommandRow, fault: RowFault): Rejection {
  const field = fault.field === undefined || fault.field === '' ? '' : `.${fault.field}`;
  const whole = rejectionOfCommand(command, fault);
  return {
    ...whole,
    rejectionId: `${whole.rejectionId}#${index}`,
    rowIndex: index,
    field: boundedText(`detail.products.${index}${field}`),
    ...identifiersOf(product),
  };
}

/** An ID of a command that deletes products, as rejected. */
export function rejectionOfId(
  command: ProductCommand,
  { id, index }: { id: string; index?: number },
  fault: RowFault,
): Rejection {
  const whole = rejectionOfCommand(command, fault);
  return {
    ...whole,
    rejectionId: `${whole.rejectionId}#${index ?? boundedText(id)}`,
    id: boundedText(id),
    ...(index !== undefined && { rowIndex: index, field: `detail.ids.${index}` }),
  };
}

/** A command as rejected whole. Two kinds of command may use the same ID. */
export function rejectionOfCommand(command: ProductCommand, fault: RowFault): Rejection {
  const at = new Date(command.time).toISOString();
  return boundedRejection({
    storeClientId: command.storeClientId,
    rejectionId: `${at}#${command.commandId}#${command.detailType}`,
    rejectedAt: at,
    code: fault.code,
    message: fault.message,
    ...(fault.field !== undefined && { field: fault.field }),
    ...(fault.details && { details: { ...fault.details } }),
    detailType: command.detailType,
    eventId: command.eventId,
    commandId: command.commandId,
  });
}
