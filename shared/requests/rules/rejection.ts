import type * as z from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import { isObject } from '../../collections/parse-json.ts';
import type { Rejection } from '../../rejections/model.ts';
import {
  boundedProblems,
  boundedRejection,
  boundedText,
  isIdentifier,
  problemOf,
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

/** The fault of a row that breaks a schema or a rule. The first issue is the message; `details.problems` has the first ten. */
export function rowFault(issues: readonly z.core.$ZodIssue[]): CommandFault {
  const problems = boundedProblems(issues.map(problemOf));
  const { field = '', message = 'not valid' } = problems[0] ?? {};
  return {
    code: 'ROW_INVALID',
    message: field === '' ? message : boundedText(`${field}: ${message}`),
    field,
    details: { problems },
  };
}

/** A command with its product, order or rows. Which fields there are depends on the kind of command. */
type RejectedCommand = RequestCommand & {
  readonly storeClientId: string;
  readonly productId?: string;
  readonly orderId?: string;
  readonly products?: readonly unknown[];
  readonly ids?: readonly unknown[];
  readonly items?: readonly unknown[];
};

/** Rejection of a whole command, with the names of its rows. The same command always has the same `rejectionId`. */
export function rejectionOfCommand(command: RejectedCommand, fault: CommandFault): Rejection {
  const { productId, orderId, products, ids, items } = command;
  const rows = [
    ...(products ?? []).map((row) => identifiersIn(row, ['sku', 'externalId'])),
    ...(ids ?? []).map((id) => identifiersIn({ id }, ['id'])),
    ...(items ?? []).map((row) => identifiersIn(row, ['orderId', 'invoiceNumber'])),
  ];
  return boundedRejection({
    ...commonOf(command, fault),
    ...definedOf({ id: productId && boundedText(productId), orderId: orderId && boundedText(orderId) }),
    ...subjectsOfRows(rows.map((names, rowIndex) => ({ rowIndex, ...names }))),
  });
}

/** `subjects` of a rejection of several rows. A row without a name is left out. */
export function subjectsOfRows(rows: NonNullable<Rejection['subjects']>): Pick<Rejection, 'subjects'> {
  const named = rows.filter(({ rowIndex: _, ...names }) => Object.keys(names).length > 0);
  return named.length > 0 ? { subjects: named } : {};
}

function commonOf(
  { storeClientId, commandId, eventId, detailType, time }: RejectedCommand,
  { code, message, field, details }: CommandFault,
): Rejection {
  const rejectedAt = new Date(time).toISOString();
  return boundedRejection({
    storeClientId,
    // The `commandId` is not unique: a second command with the same one is rejected for that reason.
    rejectionId: `${rejectedAt}#${eventId}#${detailType}`,
    rejectedAt,
    code,
    message,
    ...definedOf({ field, details: details && { ...details } }),
    detailType,
    eventId,
    commandId,
  });
}

/** The field of the event that has the rows, by `detailType`; default `products`. */
const ROWS_OF: Readonly<Record<string, string>> = {
  'product.delete.requested': 'ids',
  'order.decision.requested': 'items',
  'order.dropoff.requested': 'items',
};

type RowOfCommand = Omit<RequestRow, 'command'>;

interface RejectedGroup {
  readonly first: Rejection;
  readonly rows: RowOfCommand[];
}

/**
 * The rejections of rows that break a rule: one for each group of rows, with the message of the group's first row. A command may
 * have a million rows, too many for one rejection each, even for a moment.
 */
export class RowRejections {
  readonly #groups = new Map<RejectedCommand, Map<string, RejectedGroup>>();

  /** @param size number of rows in the command. */
  add(command: RejectedCommand, size: number, row: RowOfCommand, fault: CommandFault): void {
    const own = this.#groups.get(command) ?? new Map();
    this.#groups.set(command, own);
    const group = rejectionGroupOf(size, row.index, fault.code);
    const known = own.get(group);
    if (known) known.rows.push(row);
    else own.set(group, { first: rejectionOfCommandRow(command, row, fault, group), rows: [row] });
  }

  get all(): Rejection[] {
    return [...this.#groups.values()].flatMap((own) =>
      [...own.values()].map(({ first, rows }) => {
        if (rows.length === 1) return first;
        const rowIndexes = rows.map(({ index }) => index);
        return boundedRejection({
          ...first,
          rowIndexes,
          ...subjectsOfRows(rows.map(({ index: rowIndex, ...names }) => ({ rowIndex, ...names }))),
        });
      }),
    );
  }
}

/** Rejection of a row. The same row of the same command always has the same `rejectionId`. */
export function rejectionOfCommandRow(
  command: RejectedCommand,
  { index, id, sku, externalId, orderId, invoiceNumber }: RowOfCommand,
  fault: CommandFault,
  group = `${index}`,
): Rejection {
  const whole = commonOf(command, fault);
  const rows = ROWS_OF[command.detailType] ?? 'products';
  return boundedRejection({
    ...whole,
    rejectionId: `${whole.rejectionId}#${group}`,
    rowIndex: index,
    field: boundedText(['detail', rows, index, fault.field || []].flat().join('.')),
    ...definedOf({ id: id && boundedText(id), sku, externalId, orderId, invoiceNumber }),
  });
}

/**
 * Rejections of rows of a request.
 *
 * @param faultAt the fault of the row at a position of the request; `undefined` if the row is not rejected.
 */
export function rejectionsOf(
  { storeClientId, commands, rows }: Pick<RequestRecord, 'storeClientId' | 'commands' | 'rows'>,
  faultAt: (position: number) => CommandFault | undefined,
): Rejection[] {
  return rows.flatMap((row, position) => {
    const command = commands[row.command];
    const fault = faultAt(position);
    return command && fault ? [rejectionOfCommandRow({ ...command, storeClientId }, row, fault)] : [];
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
