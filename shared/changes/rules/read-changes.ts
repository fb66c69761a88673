import { definedOf } from '../../collections/defined-of.ts';
import { type MessageFacts, parseIncomingEvent } from '../../events/parse-incoming-event.ts';
import type { ListingChange, VersionKind } from '../../listings/model.ts';
import type { Rename } from '../../listings/rules/end-by-rename.ts';
import { fieldsOfTarget, givenExternalId, targetOf, targetsOf } from '../../listings/rules/target.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection, rejectionGroupOf, rejectionOfEvent } from '../../rejections/rules/bounded.ts';
import { type CommandFault, subjectsOfRows } from '../../requests/rules/rejection.ts';
import { lookOfTime } from '../../time/look-of-time.ts';
import type { EpochMs, IsoTime } from '../../time/times.ts';
import { tooFarAhead } from '../../time/too-far-ahead.ts';
import { type FileOrigin, fileOriginSchema } from '../file-receipts.ts';
import { type ItemReading, type RowIdentifiers, readPriceItem, readStockItem } from './read-items.ts';

const changeDetailTypes = ['stock.changed', 'price.changed'] as const;
type ChangeDetailType = (typeof changeDetailTypes)[number];

/** Created products. */
export interface CreatedTargets {
  readonly storeClientId: string;
  /** Each product has one target for each of its names. Only the variants of a parent have stock and prices. */
  readonly products: readonly {
    readonly targets: readonly string[];
    /** As given. Absent if it is in lower case. */
    readonly externalId?: string | undefined;
    readonly isParent: boolean;
  }[];
  /** When the creation became known. */
  readonly knownAt: EpochMs;
  /** When the creation was sent. Absent if an update set the products' SKUs. */
  readonly sentAt?: EpochMs | undefined;
}

/** A rename, with the command that made it. */
export interface RenamedTarget extends Rename {
  readonly commandId: string;
}

/** A message of the changes queue. */
export interface ChangeMessage extends MessageFacts {
  readonly body: string;
}

/** The event of a row. */
export interface ChangeEvent {
  readonly message: ChangeMessage;
  readonly eventId: string;
  readonly detailType: ChangeDetailType;
  readonly storeClientId: string;
  /** The time that the event's rejections get. If a file's event is sent in two messages, both give the same time. */
  readonly rejectionTime: EpochMs;
  /** Number of the event's rows, including bad rows. */
  readonly size: number;
  /** Present only for rows of a file. */
  readonly file?: FileOrigin | undefined;
}

/** One valid row of an event. */
export interface ChangeRow {
  readonly event: ChangeEvent;
  readonly rowIndex: number;
  readonly change: ListingChange;
}

/** A rejected row of an event. */
export interface RejectedChange {
  readonly rowIndex: number;
  readonly code: string;
  /** `field` is a path in the row. */
  readonly fault: () => CommandFault;
  readonly names: RowIdentifiers;
}

const readItemOf: Record<ChangeDetailType, (item: unknown, isOfCommand: boolean) => ItemReading> = {
  'stock.changed': readStockItem,
  'price.changed': readPriceItem,
};

const INTERNAL = ['products.created', 'product.renamed'] as const;

/** Few events come from a file. A required field would make an error for each other event, which takes as long as reading a row. */
const optionalOrigin = fileOriginSchema.optional().catch(undefined);

type CreatedNames = Parameters<typeof targetsOf>[0] & { readonly isParent?: boolean | undefined };

function createdTargets({ isParent = false, ...names }: CreatedNames): CreatedTargets['products'][number] {
  return { targets: targetsOf(names), externalId: givenExternalId(names), isParent };
}

/** The content of one message. */
export interface ChangeMessageReading {
  readonly rows: ChangeRow[];
  readonly rejections: Rejection[];
  /** Absent if the message is not a readable stock or price event. */
  readonly event?: ChangeEvent;
  readonly created?: CreatedTargets;
  readonly renamed?: RenamedTarget;
}

/**
 * Reads a message: its valid rows and the rejections of its invalid rows, or created targets, or a rename. Each delivery gives the same
 * result: whether a time is too far ahead is judged by the time at which the message was sent.
 */
export function readChangeMessage(message: ChangeMessage): ChangeMessageReading {
  const parsed = parseIncomingEvent(message.body, [...changeDetailTypes, ...INTERNAL], message);
  if (!parsed.ok) return { rows: [], rejections: [rejectionOfEvent(parsed.refusal, message.sentAt)] };
  if (parsed.event.detailType === 'products.created') {
    const { storeClientId, products, knownAt, sentAt } = parsed.event.detail;
    return {
      rows: [],
      rejections: [],
      created: { storeClientId, products: products.map(createdTargets), knownAt, sentAt },
    };
  }
  if (parsed.event.detailType === 'product.renamed') {
    const { time, detail } = parsed.event;
    const { storeClientId, commandId, version } = detail;
    const [from, to] = [targetOf({ sku: detail.from }), targetOf({ sku: detail.to })];
    return { rows: [], rejections: [], renamed: { storeClientId, commandId, from, to, time, version } };
  }
  const { id: eventId, detailType, time, detail } = parsed.event;
  const { storeClientId, items } = detail;
  const file = optionalOrigin.parse(detail.file);
  const rejectionTime = file === undefined ? message.sentAt : time;
  const event = { message, eventId, detailType, storeClientId, rejectionTime, size: items.length, file };
  const reading = readVersion(detail, time, message.sentAt);
  const rows: ChangeRow[] = [];
  const rejected: RejectedChange[] = [];
  for (const [rowIndex, item] of items.entries()) {
    const read = readItemOf[detailType](item, detail.isOfCommand === true);
    if (!read.ok) {
      rejected.push({
        rowIndex,
        code: 'ROW_INVALID',
        names: read.names,
        fault: () => inRow(read.fault(), rowIndex),
      });
    } else if ('fault' in reading) {
      const { field: name } = reading.fault;
      const fault = { ...reading.fault, field: name === 'time' ? name : `detail.${name}` };
      rejected.push({ rowIndex, code: fault.code, names: fieldsOfTarget(read.target), fault: () => fault });
    } else {
      const { target, externalId, values, negative, base } = read;
      const { kind: versionKind, value: version } = reading;
      const isOfCommand = detail.isOfCommand === true && versionKind === 'time';
      const facts = { storeClientId, target, ...(externalId !== undefined && { externalId }) };
      const change = { ...facts, values, negative, base, versionKind, version, isOfCommand };
      rows.push({ event, rowIndex, change });
    }
  }
  return { rows, rejections: rejectionsOfRows(event, rejected), event };
}

/**
 * The version of an event's values: its integer `version`, else its `occurredAt`, else the event's own time (one
 * second of resolution on the bus). `sentAt`: when the event's message was sent. `eventTime` is epoch ms.
 */
export function readVersion(
  { version, occurredAt }: { version?: number | undefined; occurredAt?: IsoTime | number | undefined },
  eventTime: number,
  sentAt: EpochMs,
): { kind: VersionKind; value: number } | { fault: { code: string; message: string; field: string } } {
  if (version !== undefined && occurredAt !== undefined) {
    const message = 'give occurredAt or version, not both';
    return { fault: { code: 'VERSION_KIND', message, field: 'version' } };
  }
  if (version !== undefined) return { kind: 'integer', value: version };
  const time = typeof occurredAt === 'string' ? Date.parse(occurredAt) : (occurredAt ?? eventTime);
  const fault = tooFarAhead(time, sentAt, occurredAt === undefined ? 'time' : 'occurredAt');
  if (fault === undefined) return { kind: 'time', value: time };
  const look = lookOfTime(occurredAt);
  return {
    fault: look === undefined ? fault : { ...fault, message: `${look}: as milliseconds, ${fault.message}` },
  };
}

/** The fault of a row, with `field` as a path in the event. */
function inRow(fault: CommandFault, rowIndex: number): CommandFault {
  return { ...fault, field: ['detail.items', rowIndex, fault.field].filter((part) => part !== '').join('.') };
}

/** The rejections of the rejected rows of one event: one for each group of rows, with the message of the group's first row. */
export function rejectionsOfRows(event: ChangeEvent, rejected: readonly RejectedChange[]): Rejection[] {
  if (rejected.length === 0) return [];
  const { eventId, detailType, storeClientId, size, file } = event;
  const rejectedAt = new Date(event.rejectionTime).toISOString();
  const groups = Map.groupBy(
    rejected.toSorted((a, b) => a.rowIndex - b.rowIndex),
    ({ rowIndex, code }) => rejectionGroupOf(size, rowIndex, code),
  );
  return [...groups].flatMap(([key, rows]) => {
    const [first] = rows;
    if (first === undefined) return [];
    return boundedRejection({
      storeClientId,
      rejectionId: `${rejectedAt}#${eventId}#${detailType}#${key}`,
      rejectedAt,
      detailType,
      eventId,
      rowIndex: first.rowIndex,
      ...definedOf(first.fault()),
      ...first.names,
      ...(file && { origin: `${file.origin}#${file.lines[first.rowIndex]}` }),
      ...(rows.length > 1 && {
        rowIndexes: rows.map(({ rowIndex }) => rowIndex),
        ...subjectsOfRows(rows.map(({ rowIndex, names }) => ({ rowIndex, ...names }))),
      }),
    });
  });
}
