import { type OutgoingEvent, outgoingDetailSchemas } from '../../../shared/events/outgoing.ts';
import { EVENT_SOURCE } from '../../../shared/settings/stack-rules.ts';
import type { BusEvent } from '../../aws/services/eventbridge/event.ts';
import { type ActivityLine, counted } from './activity-line.ts';

/** A line names at most this many of the rows with the same reason. */
const NAMED_ROWS = 3;

/**
 * The lines of an event on a bus: an incoming event, a file in the import bucket, or an outgoing event. No line for an event that another
 * line already shows: the line of a request shows `batch.submitted`.
 *
 * @param bus the name of the bus that the event was put on
 * @param outputs outputs of the stack; absent while the stack starts
 */
export function eventLines(
  event: BusEvent,
  bus: string,
  { ImportBucketName, EventBusName = bus }: Readonly<Record<string, string>> = {},
): ActivityLine[] {
  if (event.source === 'aws.s3') return fileLines(event, ImportBucketName);
  if (event.source !== EVENT_SOURCE) {
    if (bus === EventBusName) return [line('event in', textOf(event))];
    return [
      line(
        'not taken',
        `it is on the bus ${bus}, and the stack reads ${EventBusName}: ${textOf(event)}`,
        true,
      ),
    ];
  }
  const type = event['detail-type'] as OutgoingEvent['detailType'];
  const detail = outgoingDetailSchemas[type]?.safeParse(event.detail).data;
  if (detail === undefined) return [line('event out', `${type} ${JSON.stringify(event.detail)}`)];
  return outgoing({ detailType: type, detail } as OutgoingEvent);
}

function line(kind: ActivityLine['kind'], text: string, isBad = false): ActivityLine {
  return { kind, text, isBad };
}

function fileLines({ detail }: BusEvent, importBucket: string | undefined): ActivityLine[] {
  const { bucket, object } = detail as { bucket: { name: string }; object: { key: string; size: number } };
  return bucket.name === importBucket ? [line('file in', `${object.key}, ${object.size} bytes`)] : [];
}

function textOf({ id, 'detail-type': detailType, detail }: BusEvent): string {
  const { storeClientId } = detail;
  const items = [detail.items, detail.products, detail.ids].find(Array.isArray);
  const parts = [
    ...(typeof storeClientId === 'string' ? [storeClientId] : []),
    ...(items === undefined ? [] : [counted(items.length, 'item')]),
    `event ${id}`,
  ];
  return `${detailType}: ${parts.join(', ')}`;
}

function outgoing(event: OutgoingEvent): ActivityLine[] {
  switch (event.detailType) {
    case 'batch.submitted':
      return [];
    case 'batch.completed':
      return [batchLine(event.detail, event.detail.state)];
    case 'batch.unresolved':
      return [batchLine(event.detail, 'unresolved')];
    case 'rows.rejected':
      return rejections(event.detail);
    default:
      return [otherLine(event)];
  }
}

function batchLine(
  {
    kind,
    storeClientId,
    batchId,
    rows,
  }: Extract<OutgoingEvent, { detailType: 'batch.unresolved' }>['detail'],
  state: string,
): ActivityLine {
  const counts = [
    `${rows.accepted} accepted`,
    `${rows.rejected} rejected`,
    ...(rows.unknown > 0 ? [`${rows.unknown} unknown`] : []),
  ];
  return line(
    'batch',
    `${kind} of ${storeClientId} ${state}: ${counts.join(', ')}, batch ${batchId}`,
    state !== 'completed',
  );
}

/** One line per reason: a large event may have hundreds of rows with the same reason. */
function rejections({
  storeClientId,
  rows,
}: Extract<OutgoingEvent, { detailType: 'rows.rejected' }>['detail']): ActivityLine[] {
  const byReason = Map.groupBy(rows, ({ code, message }) => `${code} ${message}`);
  return [...byReason].map(([reason, same]) => {
    const count = same.reduce((sum, { rowIndexes }) => sum + (rowIndexes?.length ?? 1), 0);
    const names = [...new Set(same.flatMap((row) => nameOf(row) ?? []))];
    const named = names.slice(0, NAMED_ROWS).join(', ');
    const rest = names.length > NAMED_ROWS ? ', …' : '';
    const which = named === '' ? '' : ` (${named}${rest})`;
    return line('rejected', `${counted(count, 'row')} of ${storeClientId}${which}: ${reason}`, true);
  });
}

type RejectedRow = Extract<OutgoingEvent, { detailType: 'rows.rejected' }>['detail']['rows'][number];

function nameOf(row: RejectedRow): string | undefined {
  return row.sku ?? row.externalId ?? row.id ?? row.orderId ?? row.invoiceNumber ?? row.target ?? row.origin;
}

/** The event with its texts and numbers; its lists are left out. */
function otherLine({ detailType, detail }: OutgoingEvent): ActivityLine {
  const facts = Object.entries(detail)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name} ${value}`);
  return line(
    'event out',
    `${detailType}: ${facts.join(', ')}`,
    /failed|suspended|held|unknown|contradicted/.test(detailType),
  );
}
