import * as z from 'zod';
import { AwsError } from '../../gateway/messages.ts';
import { busArn, busName } from './bus-name.ts';
import { type BusEvent, busEvent } from './event.ts';
import { type Operation, readInput } from './operation.ts';

/** The limit for all entries of a request together. */
const maxRequestBytes = 1024 * 1024;

const entry = z.object({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  EventBusName: busName,
  Time: z.number().optional(),
  Resources: z.array(z.string()).default([]),
});

const putEventsInput = z.object({ Entries: z.array(entry).min(1).max(10) });

export type PutEventsEntry = z.output<typeof entry>;

/** The result for an entry: an event, or the reason of its refusal. */
export type EntryOutcome =
  | { readonly event: BusEvent; readonly bus: string }
  | { readonly code: string; readonly message: string };

/** Puts each entry on its bus, or returns the reason of its refusal in its place. */
export const putEvents: Operation = ({ principal, input, buses, access, clock }) => {
  const entries = readEntries(input);
  for (const bus of new Set(entries.map(({ EventBusName }) => EventBusName))) {
    access.require(principal, 'events:PutEvents', busArn(bus));
  }
  const answers = entries.map((one) => {
    const outcome = entryOutcome(one, clock.now());
    if ('code' in outcome) return { ErrorCode: outcome.code, ErrorMessage: outcome.message };
    // An event for a bus that does not exist is accepted and dropped, as on the real service.
    buses.publish(outcome.bus, outcome.event);
    return { EventId: outcome.event.id };
  });
  return { FailedEntryCount: answers.filter((one) => 'ErrorCode' in one).length, Entries: answers };
};

/**
 * Reads the entries of a PutEvents request.
 *
 * @throws AwsError ValidationException for a request that is refused as a whole: no entries, more than 10, or more than
 * 1 MB together.
 */
export function readEntries(input: unknown): PutEventsEntry[] {
  const { Entries } = readInput(input, putEventsInput);
  const bytes = Entries.map(entryBytes).reduce((sum, one) => sum + one, 0);
  if (bytes > maxRequestBytes) {
    throw new AwsError('ValidationException', 'Total size of the entries in the request is over the limit.');
  }
  return Entries;
}

/** @param now epoch milliseconds; the time of an entry that has no time */
export function entryOutcome(entry: PutEventsEntry, now: number): EntryOutcome {
  const { Source, DetailType, Detail } = entry;
  if (!Source) return invalid('Parameter Source is not valid. Reason: Source is a required argument.');
  if (!DetailType)
    return invalid('Parameter DetailType is not valid. Reason: DetailType is a required argument.');
  if (Detail === undefined)
    return invalid('Parameter Detail is not valid. Reason: Detail is a required argument.');
  if (Source.startsWith('aws.'))
    return { code: 'NotAuthorizedForSourceException', message: 'Not authorized for the source.' };
  const detail = jsonObject(Detail);
  if (!detail) return { code: 'MalformedDetail', message: 'Detail is malformed.' };
  const time = entry.Time === undefined ? now : entry.Time * 1000;
  const event = busEvent({
    source: Source,
    detailType: DetailType,
    detail,
    detailText: Detail,
    time,
    resources: entry.Resources,
  });
  return { event, bus: entry.EventBusName };
}

function invalid(message: string): EntryOutcome {
  return { code: 'InvalidArgument', message };
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The size as EventBridge counts it: 14 bytes for a time, and the UTF-8 bytes of every text. */
function entryBytes(entry: PutEventsEntry): number {
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...entry.Resources];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
  return bytes + (entry.Time === undefined ? 0 : 14);
}
