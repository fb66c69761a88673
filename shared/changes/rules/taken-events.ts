import { definedOf } from '../../collections/defined-of.ts';
import { countByCode, type Rejection, type RejectionsOfMessages } from '../../rejections/model.ts';
import type { FileOrigin, FileReceipt, RejectedLine, TakenRows } from '../file-receipts.ts';
import type { ChangeEvent, ChangeRow } from './read-changes.ts';

/** The result of a stock or price event in one invocation, for its log line. */
export interface TakenEvent {
  readonly messageId: string;
  /** Absent for an event that can't be read. */
  readonly eventId?: string | undefined;
  readonly storeClientId?: string | undefined;
  /** Targets of its valid rows. */
  readonly targets: readonly string[];
  /** Rejected rows, or 1 for an event that can't be read. */
  readonly rejected: number;
  /** Whether its message is redelivered, because not all of its effects are durable. */
  readonly redelivered: boolean;
}

/** One event per message. `rows`: all valid rows; `failed`: IDs of the messages to redeliver. */
export function takenEvents(
  rows: readonly ChangeRow[],
  rejections: RejectionsOfMessages,
  failed: ReadonlySet<string>,
): TakenEvent[] {
  const rowsOf = Map.groupBy(rows, ({ event }) => event.message.messageId);
  return [...new Set([...rowsOf.keys(), ...rejections.keys(), ...failed])].map((messageId) => {
    const own = rowsOf.get(messageId) ?? [];
    const rejected = rejections.get(messageId) ?? [];
    const { eventId, storeClientId } = own[0]?.event ?? rejected[0] ?? {};
    return {
      messageId,
      eventId,
      storeClientId,
      targets: [...new Set(own.map(({ change }) => change.target))],
      rejected: rejected.length,
      redelivered: failed.has(messageId),
    };
  });
}

/** The receipts of events with rows of files; one for each message of a file. `merged`: the rows that reached their listings. */
export function fileReceipts(
  events: readonly ChangeEvent[],
  rejections: RejectionsOfMessages,
  merged: readonly ChangeRow[],
): FileReceipt[] {
  const rowsOf = Map.groupBy(merged, ({ event }) => event);
  const receipts = new Map<string, FileReceipt>();
  for (const event of events) {
    const { file, message, size: rows } = event;
    if (file === undefined) continue;
    const own = rejections.get(message.messageId) ?? [];
    const { importId, message: number } = file;
    receipts.set(`${importId}/${number}`, {
      importId,
      message: number,
      rows,
      rejected: countByCode(own),
      ...definedOf({ open: takenOf(file, own, rowsOf.get(event)), rejectedLines: linesOf(file, own) }),
    });
  }
  return [...receipts.values()];
}

function takenOf(
  { lines }: FileOrigin,
  rejections: readonly Rejection[],
  rows: readonly ChangeRow[] = [],
): TakenRows | undefined {
  const rejected = new Set(rejections.flatMap(rowsIn));
  const taken = rows.filter(({ rowIndex }) => !rejected.has(rowIndex));
  const [first] = taken;
  if (first === undefined) return undefined;
  const { versionKind, version } = first.change;
  return {
    versionKind,
    version,
    targets: taken.map(({ change }) => change.target),
    lines: taken.map(({ rowIndex }) => lines[rowIndex] ?? 0),
    values: taken.map(({ change }) => change.values),
  };
}

function linesOf({ lines }: FileOrigin, rejections: readonly Rejection[]): RejectedLine[] | undefined {
  const rejected = rejections.flatMap((rejection) => {
    const { target, code, message } = rejection;
    return rowsIn(rejection).map((rowIndex) => ({
      line: lines[rowIndex] ?? 0,
      code,
      message,
      ...definedOf({ target }),
    }));
  });
  return rejected.length > 0 ? rejected : undefined;
}

function rowsIn({ rowIndex, rowIndexes }: Rejection): readonly number[] {
  return rowIndexes ?? (rowIndex === undefined ? [] : [rowIndex]);
}
