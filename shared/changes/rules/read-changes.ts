import { parseIncomingEvent } from '../../events/parse-incoming-event.ts';
import type { VersionKind } from '../../listings/model.ts';
import type { Rejection } from '../../rejections/model.ts';
import { rejectionOfEvent } from '../../rejections/rules/bounded.ts';
import { futureFault } from '../../time/future.ts';
import type { ChangeDetailType, ChangeMessage, ChangeRow, RowRefusal } from '../model.ts';
import { type ItemReading, readPriceItem, readStockItem } from './read-items.ts';
import { rejectionsOfRows } from './reject-rows.ts';

const changeDetailTypes = ['stock.changed', 'price.changed'] as const satisfies readonly ChangeDetailType[];

const readItemOf: Record<ChangeDetailType, (item: unknown) => ItemReading> = {
  'stock.changed': readStockItem,
  'price.changed': readPriceItem,
};

/**
 * Reads a message into its valid rows and the rejections of all else. The same at every delivery: what is in the future is
 * decided by when the message was sent.
 */
export function readChangeMessage(message: ChangeMessage): { rows: ChangeRow[]; rejections: Rejection[] } {
  const parsed = parseIncomingEvent(message.body, changeDetailTypes, message);
  if (!parsed.ok) return { rows: [], rejections: [rejectionOfEvent(parsed.refusal, message.sentAt)] };
  const { id: eventId, detailType, time, detail } = parsed.event;
  const { storeClientId, commandId, items } = detail;
  const event = { message, eventId, detailType, storeClientId, size: items.length };
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
  return { rows, rejections: rejectionsOfRows(event, refusals) };
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
  const fault = futureFault(time, sentAt);
  if (fault === undefined) return { ok: true, kind: 'time', version: time };
  return { ok: false, ...fault, message: `occurredAt ${fault.message}`, field: 'occurredAt' };
}
