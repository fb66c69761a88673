import type { IncomingDetailType, IncomingEvent } from '../../events/incoming.ts';
import { type MessageFacts, parseIncomingEvent } from '../../events/parse-incoming-event.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import { rejectionOfEvent } from '../../rejections/rules/event-rejection.ts';
import type { ListingChange } from '../model.ts';
import type { ItemReading } from './read-item.ts';
import { readPriceItem } from './read-price-item.ts';
import { readStockItem } from './read-stock-item.ts';
import { readVersion } from './read-version.ts';

const changeDetailTypes = ['stock.changed', 'price.changed'] as const satisfies readonly IncomingDetailType[];
type ChangeDetailType = (typeof changeDetailTypes)[number];

const readItemOf: Record<ChangeDetailType, (item: unknown) => ItemReading> = {
  'stock.changed': readStockItem,
  'price.changed': readPriceItem,
};

/** A message of the changes queue. */
export interface ChangeMessage extends MessageFacts {
  readonly body: string;
}

/** One valid row of a message. */
export interface ChangeRow {
  readonly message: ChangeMessage;
  readonly eventId: string;
  readonly detailType: ChangeDetailType;
  readonly rowIndex: number;
  readonly change: ListingChange;
}

/**
 * Reads a message into its valid rows and the rejections of all else. The same at every delivery: what is in the future is
 * told by when the message was sent.
 */
export function readChangeMessage(message: ChangeMessage): { rows: ChangeRow[]; rejections: Rejection[] } {
  const parsed = parseIncomingEvent(message.body, changeDetailTypes, message);
  if (!parsed.ok) return { rows: [], rejections: [rejectionOfEvent(parsed.refusal, message.sentAt)] };
  const { event } = parsed;
  const reading = readVersion(event.detail, event.time, message.sentAt);
  const rows: ChangeRow[] = [];
  const rejections: Rejection[] = [];
  for (const [rowIndex, item] of event.detail.items.entries()) {
    const facts = { message, eventId: event.id, detailType: event.detailType, rowIndex };
    const read = readItemOf[event.detailType](item);
    if (!read.ok) {
      const field = ['detail.items', rowIndex, read.field].filter((part) => part !== '').join('.');
      rejections.push(rejectionOfItem(event, facts, { code: 'ROW_INVALID', message: read.message, field }));
    } else if (!reading.ok) {
      const refusal = { ...reading, field: `detail.${reading.field}`, target: read.target };
      rejections.push(rejectionOfItem(event, facts, refusal));
    } else {
      const { storeClientId } = event.detail;
      const { kind: versionKind, version } = reading;
      const { target, values, base } = read;
      rows.push({ ...facts, change: { storeClientId, target, values, base, versionKind, version } });
    }
  }
  return { rows, rejections };
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly target?: string;
}

/** The rejection of a row that was read well but can not be merged. */
export function rejectionOf(row: ChangeRow, refusal: Refusal): Rejection {
  const { storeClientId, target } = row.change;
  return rejectionOfItem({ detail: { storeClientId } }, row, { target, ...refusal });
}

function rejectionOfItem(
  { detail: { storeClientId } }: { detail: Pick<IncomingEvent<ChangeDetailType>['detail'], 'storeClientId'> },
  { message: { sentAt }, eventId, detailType, rowIndex }: Omit<ChangeRow, 'change'>,
  { code, message, field, target }: Refusal,
): Rejection {
  const rejectedAt = new Date(sentAt).toISOString();
  return boundedRejection({
    storeClientId,
    rejectionId: `${rejectedAt}#${eventId}#${detailType}#${rowIndex}`,
    rejectedAt,
    code,
    message,
    rowIndex,
    detailType,
    eventId,
    ...(field === undefined ? {} : { field }),
    ...(target === undefined ? {} : { target }),
  });
}
