import * as z from 'zod';
import { misspelledName } from '../collections/misspelled-name.ts';
import { isObject, isTooDeep, MAX_LEVELS } from '../collections/parse-json.ts';
import { type JsonPath, repeatedMembers } from '../collections/repeated-members.ts';
import { inputErrors } from '../errors/input-errors.ts';
import type { EpochMs } from '../time/times.ts';
import {
  type IncomingEvent,
  incomingDetailSchemas,
  incomingDetailTypes,
  incomingEnvelopeSchema,
  type QueuedDetailType,
  queuedDetailSchemas,
} from './incoming.ts';
import { namesInDetail } from './names-in-detail.ts';

const storeOf = z.object(incomingDetailSchemas['stock.changed'].pick({ storeClientId: true }).shape);

/** The queue message of an event, for its default ID and time. */
export interface MessageFacts {
  readonly messageId: string;
  readonly sentAt: EpochMs;
}

/** Why an event was refused, with the facts that a rejection needs. */
export interface EventRefusal extends ReturnType<typeof namesInDetail> {
  readonly code: 'EVENT_INVALID' | 'DETAIL_TYPE_UNKNOWN';
  readonly message: string;
  readonly field?: string;
  readonly eventId: string;
  readonly detailType?: string;
  readonly storeClientId?: string;
  /** The issues that the schema found, if they are the reason. Paths begin at the event. */
  readonly issues?: readonly z.core.$ZodIssue[];
}

export type ParsedEvent<T extends QueuedDetailType> =
  | {
      readonly ok: true;
      readonly event: { [K in T]: IncomingEvent<K> }[T];
      /** When the first message of the event was sent. A deferred event has further messages. */
      readonly receivedAt: EpochMs;
    }
  | { readonly ok: false; readonly refusal: EventRefusal };

/**
 * Reads the JSON of one queue message as one of the `expected` events. Never throws: any other message becomes a refusal that
 * names the field and the rule.
 */
export function parseIncomingEvent<T extends QueuedDetailType>(
  body: string,
  expected: readonly T[],
  message: MessageFacts,
): ParsedEvent<T> {
  const json = readJson(body);
  const refuse = (facts: RefusalFacts) => refusalOf(json, message, facts);
  if (json === undefined) return refuse({ message: 'the message is not JSON' });
  // If the whole message does not nest too deep, no part of it does. This is nearly always so, and saves checking each part.
  const isDeep = isTooDeep(json);
  const repeated = repeatedMembers(body, isDeep ? undefined : json);
  const fault = repeatedFault(repeated) ?? misspelledFault(json, incomingEnvelopeSchema);
  if (fault) return refuse(fault);
  const envelope = incomingEnvelopeSchema.safeParse(json, { error: inputErrors });
  if (!envelope.success) return refuse(faultOf(envelope.error));

  const {
    id = message.messageId,
    time,
    firstReceivedAt,
    'detail-type': detailType,
    ...others
  } = envelope.data;
  // An event from the bus has a source. The connector's own messages do not come from the bus.
  const allowed = others.source === undefined ? expected : expected.filter(isIncoming);
  const matched = allowed.find((candidate) => candidate === detailType);
  if (matched === undefined) {
    const store = storeOf.safeParse(others.detail, { error: inputErrors });
    // The bus sends all events without a store into one queue.
    if (others.source !== undefined && isKnown(detailType) && !store.success)
      return refuse(faultOf(store.error, 'detail'));
    const why = unexpected(detailType, expected);
    return refuse({ code: 'DETAIL_TYPE_UNKNOWN', message: why, field: 'detail-type' });
  }
  const misspelled = misspelledFault(others.detail, queuedDetailSchemas[matched], 'detail.');
  if (misspelled) return refuse(misspelled);
  const detail = isDeep || repeated.length > 0 ? withBadRowsCut(others.detail, repeated) : others.detail;
  const deep = isDeep
    ? (deepMemberOf({ ...others, detail: undefined }) ?? deepMemberOf(detail, 'detail.'))
    : undefined;
  if (deep !== undefined) return refuse({ message: `${deep}: ${TOO_DEEP}`, field: deep });
  const parsed = queuedDetailSchemas[matched].safeParse(detail, { error: inputErrors });
  if (!parsed.success) return refuse(faultOf(parsed.error, 'detail'));
  const event = {
    id,
    time: time === undefined ? message.sentAt : Date.parse(time),
    detailType: matched,
    detail: parsed.data,
  };
  return {
    ok: true,
    event: event as { [K in T]: IncomingEvent<K> }[T],
    receivedAt: firstReceivedAt === undefined ? message.sentAt : Date.parse(firstReceivedAt),
  };
}

function isKnown(detailType: string): boolean {
  return incomingDetailTypes.some((known) => known === detailType);
}

/** Whether partners send events of this type. */
function isIncoming(type: QueuedDetailType): boolean {
  return type in incomingDetailSchemas;
}

/** The refusal of a `detail-type` that does not exist, or that belongs into another queue. */
function unexpected(detailType: string, expected: readonly QueuedDetailType[]): string {
  const quoted = JSON.stringify(detailType);
  if (isKnown(detailType)) {
    return `this queue accepts ${expected.filter(isIncoming).join(', ')}; send ${quoted} to the event bus`;
  }
  // The allowed values come first, as a rejection keeps only the first 300 characters.
  return `detail-type must be one of ${incomingDetailTypes.join(', ')}, not ${quoted}`;
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body) ?? undefined;
  } catch {
    return undefined;
  }
}

const TOO_DEEP = `nests more than ${MAX_LEVELS} levels deep`;
const REPEATED = 'must be given once';

/**
 * Replaces each row that nests too deep or has a member twice by a text, so that later checks reject only this row. Rows are the
 * elements of the detail's arrays.
 */
function withBadRowsCut(detail: unknown, repeated: readonly JsonPath[]): unknown {
  if (!isObject(detail)) return detail;
  const rowsWithRepeated = new Set(repeated.map(([, name, row]) => `${name}.${row}`));
  const cutRow = (name: string) => (row: unknown, index: number) => {
    if (isTooDeep(row)) return TOO_DEEP;
    return rowsWithRepeated.has(`${name}.${index}`) ? REPEATED : row;
  };
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(cutRow(name)) : value,
    ]),
  );
}

/** The fault of a member that is given twice outside of rows. */
function repeatedFault(repeated: readonly JsonPath[]): RefusalFacts | undefined {
  const isInRow = ([part, , row]: JsonPath) => part === 'detail' && typeof row === 'number';
  const field = repeated.find((path) => !isInRow(path))?.join('.');
  return field === undefined ? undefined : { message: `${field}: ${REPEATED}`, field };
}

/** The fault of a member whose name is almost the name of an absent member. */
function misspelledFault(
  value: unknown,
  { shape }: { readonly shape: object },
  prefix = '',
): RefusalFacts | undefined {
  const misspelled = isObject(value) ? misspelledName(value, Object.keys(shape)) : undefined;
  if (misspelled === undefined) return undefined;
  const field = `${prefix}${misspelled.given}`;
  return { message: `${field}: must be written ${misspelled.meant}`, field };
}

/** The first member that nests too deep. In an array, each element is measured by itself. */
function deepMemberOf(value: unknown, prefix = ''): string | undefined {
  if (!isObject(value)) return undefined;
  const isDeep = (member: unknown) =>
    Array.isArray(member) ? member.some((row) => isTooDeep(row)) : isTooDeep(member);
  const name = Object.keys(value).find((member) => isDeep(value[member]));
  return name === undefined ? undefined : `${prefix}${name}`;
}

type RefusalFacts = Pick<EventRefusal, 'message'> & Partial<Pick<EventRefusal, 'code' | 'field' | 'issues'>>;

/** The refusal of a message, with the event's ID, type and store as far as they can be read. */
function refusalOf(
  json: unknown,
  { messageId }: MessageFacts,
  facts: RefusalFacts,
): { ok: false; refusal: EventRefusal } {
  const { id, 'detail-type': detailType, detail } = isObject(json) ? json : {};
  const known = {
    eventId: incomingEnvelopeSchema.shape.id.safeParse(id).data ?? messageId,
    ...(typeof detailType === 'string' && { detailType }),
    ...storeOf.safeParse(detail).data,
    ...namesInDetail(detail),
  };
  return { ok: false, refusal: { code: 'EVENT_INVALID', ...known, ...facts } };
}

/** @param part the member of the event that was checked. Default: the event. */
function faultOf(error: z.ZodError, part?: string): RefusalFacts {
  const before = part === undefined ? [] : [part];
  const issues = error.issues.map((issue) => ({ ...issue, path: [...before, ...issue.path] }));
  const [first] = issues;
  const field = (first?.path ?? before).map(String).join('.');
  const message = `${field === '' ? 'event' : field}: ${first?.message ?? 'not valid'}`;
  return { field, message, issues };
}

/**
 * Writes the event's default ID and time, and the time of its first message, into a message's body, so that the event keeps them in
 * another message. The rest of the text does not change.
 *
 * @param body JSON of a valid event.
 * @param identity times are epoch ms.
 */
export function withIdentity(
  body: string,
  { id, time, receivedAt }: { readonly id: string; readonly time: number; readonly receivedAt: EpochMs },
): string {
  const event: object = JSON.parse(body);
  const times = { time: new Date(time).toISOString(), firstReceivedAt: new Date(receivedAt).toISOString() };
  const facts = Object.entries({ id, ...times }).filter(([name]) => !(name in event));
  const own = facts.map((fact) => fact.map((part) => JSON.stringify(part)).join(':'));
  return `{${[...own, body.slice(body.indexOf('{') + 1)].join(',')}`;
}
