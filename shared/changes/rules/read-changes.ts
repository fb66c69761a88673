import { type MessageFacts, parseIncomingEvent } from '../../events/parse-incoming-event.ts';
import type { ListingChange, VersionKind } from '../../listings/model.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection, rejectionOfEvent } from '../../rejections/rules/bounded.ts';
import { tooFarAhead } from '../../time/too-far-ahead.ts';
import { type FileOrigin, fileOriginSchema } from '../file-receipts.ts';
import { type ItemReading, readPriceItem, readStockItem } from './read-items.ts';

const changeDetailTypes = ['stock.changed', 'price.changed'] as const;
type ChangeDetailType = (typeof changeDetailTypes)[number];

/** A message of the changes queue. */
export interface ChangeMessage extends MessageFacts {
  readonly body: string;
}

/** The event that rows came in. */
export interface ChangeEvent {
  readonly message: ChangeMessage;
  readonly eventId: string;
  readonly detailType: ChangeDetailType;
  readonly storeClientId: string;
  /** How many rows it has, bad ones included. */
  readonly size: number;
  /** Only of rows of a file. */
  readonly file?: FileOrigin | undefined;
}

/** One valid row of an event. */
export interface ChangeRow {
  readonly event: ChangeEvent;
  readonly rowIndex: number;
  readonly change: ListingChange;
}

/** Why a row of an event is refused. */
export interface RowRefusal {
  readonly rowIndex: number;
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly target?: string;
}

const readItemOf: Record<ChangeDetailType, (item: unknown) => ItemReading> = {
  'stock.changed': readStockItem,
  'price.changed': readPriceItem,
};

/**
 * Reads a message into its valid rows and the rejections of all else. The same at every delivery: what is in the future is
 * decided by when the message was sent.
 */
export function readChangeMessage(message: ChangeMessage): {
  rows: ChangeRow[];
  rejections: Rejection[];
  event?: ChangeEvent;
} {
  const parsed = parseIncomingEvent(message.body, changeDetailTypes, message);
  if (!parsed.ok) return { rows: [], rejections: [rejectionOfEvent(parsed.refusal, message.sentAt)] };
  const { id: eventId, detailType, time, detail } = parsed.event;
  const { storeClientId, commandId, items } = detail;
  const file = fileOriginSchema.safeParse(detail.file).data;
  const event = { message, eventId, detailType, storeClientId, size: items.length, file };
  const reading = readVersion(detail, time, message.sentAt);
  const rows: ChangeRow[] = [];
  const refusals: RowRefusal[] = [];
  for (const [rowIndex, item] of items.entries()) {
    const read = readItemOf[detailType](item);
    if (!read.ok) {
      const field = ['detail.items', rowIndex, read.field].filter((part) => part !== '').join('.');
      refusals.push({ rowIndex, code: 'ROW_INVALID', message: read.message, field });
    } else if (!reading.ok) {
      const { ok: _, ...refusal } = reading;
      refusals.push({ rowIndex, ...refusal, field: `detail.${reading.field}`, target: read.target });
    } else {
      const { kind: versionKind, version } = reading;
      const isOfCommand = commandId !== undefined && versionKind === 'time';
      const { target, values, base } = read;
      const versioned = { versionKind, version, ...(isOfCommand && { isOfCommand }) };
      rows.push({ event, rowIndex, change: { storeClientId, target, values, base, ...versioned } });
    }
  }
  return { rows, rejections: rejectionsOfRows(event, refusals), event };
}

export type VersionReading =
  | { readonly ok: true; readonly kind: VersionKind; readonly version: number }
  | {
      readonly ok: false;
      readonly code: 'VERSION_FUTURE' | 'VERSION_KIND';
      readonly message: string;
      readonly field: string;
    };

/**
 * The version of an event's values: its integer `version`, else its `occurredAt`, else the event's own time (one
 * second of resolution on the bus). `sentAt`, when its message was sent, and `eventTime` are epoch ms.
 */
export function readVersion(
  { version, occurredAt }: { version?: number | undefined; occurredAt?: string | number | undefined },
  eventTime: number,
  sentAt: number,
): VersionReading {
  if (version !== undefined && occurredAt !== undefined) {
    const message = 'give occurredAt or version, not both';
    return { ok: false, code: 'VERSION_KIND', message, field: 'version' };
  }
  if (version !== undefined) return { ok: true, kind: 'integer', version };
  const time = typeof occurredAt === 'string' ? Date.parse(occurredAt) : (occurredAt ?? eventTime);
  const fault = tooFarAhead(time, sentAt, 'occurredAt');
  return fault === undefined
    ? { ok: true, kind: 'time', version: time }
    : { ok: false, ...fault, field: 'occurredAt' };
}

/** Rows of an event up to which each refused one has a rejection of its own. */
const MOST_ONE_BY_ONE = 1_000;
/** The most rows of a large event in one rejection. */
const ROWS_PER_REJECTION = 100;

/**
 * The rejections of refused rows of one event: one each, or, of an event of more than 1,000 rows, one for those of each
 * hundred rows that have the same code, with the words of its first. Which rejection a row is in depends on its position
 * and its code alone, so that a redelivery writes the same ones again.
 */
export function rejectionsOfRows(event: ChangeEvent, refusals: readonly RowRefusal[]): Rejection[] {
  const { eventId, detailType, message, storeClientId, size, file } = event;
  const rejectedAt = new Date(message.sentAt).toISOString();
  const keyOf = ({ rowIndex, code }: RowRefusal) =>
    size <= MOST_ONE_BY_ONE ? `${rowIndex}` : `${Math.floor(rowIndex / ROWS_PER_REJECTION)}#${code}`;
  const groups = Map.groupBy(
    refusals.toSorted((a, b) => a.rowIndex - b.rowIndex),
    keyOf,
  );
  return [...groups].flatMap(([key, rows]) => {
    const [first] = rows;
    if (first === undefined) return [];
    const rowIndexes = rows.map(({ rowIndex }) => rowIndex);
    return boundedRejection({
      storeClientId,
      rejectionId: `${rejectedAt}#${eventId}#${detailType}#${key}`,
      rejectedAt,
      detailType,
      eventId,
      ...first,
      ...(file && { origin: `${file.origin}#${file.lines[first.rowIndex]}` }),
      ...(rows.length > 1 && { rowIndexes }),
    });
  });
}
