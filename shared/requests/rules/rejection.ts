import { definedOf } from '../../collections/defined-of.ts';
import { isObject } from '../../collections/parse-json.ts';
import type { Rejection } from '../../rejections/model.ts';
import {
  boundedRejection,
  boundedText,
  isIdentifier,
  rejectionGroupOf,
} from '../../rejections/rules/bounded.ts';
import type { RequestCommand, RequestRecord, RequestRow } from '../model.ts';

/** Why a command or a row is rejected. `field` is a path in the event, or in the row. */
export interface CommandFault {
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
  /** Further facts; never a secret. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

type RejectedCommand = RequestCommand & { readonly storeClientId: string; readonly productId?: string };

/** Rejection of a whole command. The same command always has the same `rejectionId`. */
export function rejectionOfCommand(
  { storeClientId, commandId, eventId, detailType, time, productId }: RejectedCommand,
  { code, message, field, details }: CommandFault,
): Rejection {
  const rejectedAt = new Date(time).toISOString();
  return boundedRejection({
    storeClientId,
    // Not the `commandId`: another command may use the same one, and is rejected for that.
    rejectionId: `${rejectedAt}#${eventId}#${detailType}`,
    rejectedAt,
    code,
    message,
    ...definedOf({ field, details: details && { ...details } }),
    ...(productId !== undefined && { id: boundedText(productId) }),
    detailType,
    eventId,
    commandId,
  });
}

/** Field of the event with the rows; default `products`. */
const ROWS_OF: Readonly<Record<string, string>> = {
  'product.delete.requested': 'ids',
  'order.decision.requested': 'items',
  'order.dropoff.requested': 'items',
};

type RejectedRow = Omit<RequestRow, 'command'>;

/**
 * The rejections of rows that commands are planned without: one for each group of rows, with the message of the first. A
 * command may have a million rows, so that not even for a moment each has a rejection.
 */
export class RowRejections {
  readonly #groups = new Map<RejectedCommand, Map<string, { first: Rejection; rowIndexes: number[] }>>();

  /** @param size number of rows in the command. */
  add(command: RejectedCommand, size: number, row: RejectedRow, fault: CommandFault): void {
    const own = this.#groups.get(command) ?? new Map();
    this.#groups.set(command, own);
    const group = rejectionGroupOf(size, row.index, fault.code);
    const known = own.get(group);
    if (known) known.rowIndexes.push(row.index);
    else own.set(group, { first: rejectionOfRow(command, row, fault, group), rowIndexes: [row.index] });
  }

  get all(): Rejection[] {
    return [...this.#groups.values()].flatMap((own) =>
      [...own.values()].map(({ first, rowIndexes }) =>
        rowIndexes.length === 1 ? first : { ...first, rowIndexes },
      ),
    );
  }
}

/** Rejection of a row. The same row of the same command always has the same `rejectionId`. */
export function rejectionOfRow(
  command: RejectedCommand,
  { index, id, sku, externalId, orderId, invoiceNumber }: RejectedRow,
  fault: CommandFault,
  group = `${index}`,
): Rejection {
  const whole = rejectionOfCommand(command, fault);
  const rows = ROWS_OF[command.detailType] ?? 'products';
  return {
    ...whole,
    rejectionId: `${whole.rejectionId}#${group}`,
    rowIndex: index,
    field: boundedText(['detail', rows, index, fault.field || []].flat().join('.')),
    ...definedOf({ id: id && boundedText(id), sku, externalId, orderId, invoiceNumber }),
  };
}

/**
 * Rejections of rows of a request.
 *
 * @param faultAt the fault of the row at a position of the request, if it is rejected.
 */
export function rejectionsOf(
  { storeClientId, commands, rows }: Pick<RequestRecord, 'storeClientId' | 'commands' | 'rows'>,
  faultAt: (position: number) => CommandFault | undefined,
): Rejection[] {
  return rows.flatMap((row, position) => {
    const command = commands[row.command];
    const fault = faultAt(position);
    return command && fault ? [rejectionOfRow({ ...command, storeClientId }, row, fault)] : [];
  });
}

/** The valid identifiers in some fields of an unchecked row. */
export function identifiersIn<Field extends string>(
  row: unknown,
  fields: readonly Field[],
): { [F in Field]?: string } {
  if (!isObject(row)) return {};
  const names = fields.filter((field) => isIdentifier(row[field])).map((field) => [field, row[field]]);
  return Object.fromEntries(names);
}
