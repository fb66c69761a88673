import { z } from 'zod';
import { isObject, isTooDeep, MAX_LEVELS } from '../collections/parse-json.ts';
import {
  type IncomingEvent,
  incomingDetailSchemas,
  incomingDetailTypes,
  incomingEnvelopeSchema,
  type QueuedDetailType,
  queuedDetailSchemas,
} from './incoming.ts';

const storeOf = z.object(incomingDetailSchemas['stock.changed'].pick({ storeClientId: true }).shape);

/** The queue message of an event, for its default ID and time. */
export interface MessageFacts {
  readonly messageId: string;
  /** Epoch ms. */
  readonly sentAt: number;
}

/** Why an event was refused, with the facts that a rejection needs. */
export interface EventRefusal {
  readonly code: 'EVENT_INVALID' | 'DETAIL_TYPE_UNKNOWN';
  readonly message: string;
  readonly field?: string;
  readonly eventId: string;
  readonly detailType?: string;
  readonly storeClientId?: string;
}

export type ParsedEvent<T extends QueuedDetailType> =
  | { readonly ok: true; readonly event: { [K in T]: IncomingEvent<K> }[T] }
  | { readonly ok: false; readonly refusal: EventRefusal };

/**
 * Reads the JSON of one queue message as one of the `expected` events. Never throws: anything else becomes a refusal that
 * names the field and the rule.
 */
export function parseIncomingEvent<T extends QueuedDetailType>(
  body: string,
  expected: readonly T[],
  message: MessageFacts,
): ParsedEvent<T> {
  const json = readBody(body);
  if (json === undefined)
    return refuse(message.messageId, {
      message: `the message is not JSON, or nests more than ${MAX_LEVELS} levels deep`,
    });
  const envelope = incomingEnvelopeSchema.safeParse(json);
  if (!envelope.success) return refuse(message.messageId, firstIssue(envelope.error));

  const { id = message.messageId, time, detail } = envelope.data;
  const detailType = envelope.data['detail-type'];
  const known = { detailType, ...storeOf.safeParse(detail).data };
  const matched = expected.find((candidate) => candidate === detailType);
  if (matched === undefined) {
    return refuse(id, {
      code: 'DETAIL_TYPE_UNKNOWN',
      message: unexpected(detailType, expected),
      field: 'detail-type',
      ...known,
    });
  }
  const parsed = queuedDetailSchemas[matched].safeParse(detail);
  if (!parsed.success) return refuse(id, { ...firstIssue(parsed.error, 'detail'), ...known });
  const event = {
    id,
    time: time === undefined ? message.sentAt : Date.parse(time),
    detailType: matched,
    detail: parsed.data,
  };
  return { ok: true, event: event as { [K in T]: IncomingEvent<K> }[T] };
}

/** The refusal of a `detail-type` that does not exist, or that belongs into another queue. */
function unexpected(detailType: string, expected: readonly QueuedDetailType[]): string {
  const quoted = JSON.stringify(detailType);
  if (incomingDetailTypes.some((known) => known === detailType)) {
    const own = expected.filter((type) => type in incomingDetailSchemas);
    return `this queue accepts ${own.join(', ')}; send ${quoted} to the event bus`;
  }
  // The allowed values come first, as a rejection keeps only the first 300 characters.
  return `detail-type must be one of ${incomingDetailTypes.join(', ')}, not ${quoted}`;
}

/**
 * The JSON of a message. A text replaces each row that nests too deep, so that later checks reject that row alone.
 */
function readBody(body: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(body) ?? undefined;
  } catch {
    return undefined;
  }
  if (!isTooDeep(json)) return json;
  const cut = withDeepRowsCut(json);
  return isTooDeep(cut) ? undefined : cut;
}

/** Rows are the elements of the arrays in `detail`. */
function withDeepRowsCut(json: unknown): unknown {
  if (!isObject(json) || !isObject(json.detail)) return json;
  const fault = `nests more than ${MAX_LEVELS} levels deep`;
  const cutRows = (value: unknown) =>
    Array.isArray(value) ? value.map((row) => (isTooDeep(row) ? fault : row)) : value;
  const detail = Object.entries(json.detail).map(([name, value]) => [name, cutRows(value)]);
  return { ...json, detail: Object.fromEntries(detail) };
}

function refuse(
  eventId: string,
  facts: Partial<Omit<EventRefusal, 'eventId'>> & Pick<EventRefusal, 'message'>,
): { ok: false; refusal: EventRefusal } {
  return { ok: false, refusal: { code: 'EVENT_INVALID', eventId, ...facts } };
}

function firstIssue(error: z.ZodError, prefix?: string): { message: string; field: string } {
  const issue = error.issues[0];
  const path = [...(prefix === undefined ? [] : [prefix]), ...(issue?.path ?? [])].map(String).join('.');
  return { field: path, message: `${path === '' ? 'event' : path}: ${issue?.message ?? 'not valid'}` };
}

/**
 * A message's body with the event's default ID and time written into it, so that the same event in another message keeps
 * them. The rest of the text does not change.
 *
 * @param body JSON of a valid event.
 * @param time epoch ms.
 */
export function withIdentity(
  body: string,
  { id, time }: { readonly id: string; readonly time: number },
): string {
  const event: object = JSON.parse(body);
  const facts = Object.entries({ id, time: new Date(time).toISOString() }).filter(
    ([name]) => !(name in event),
  );
  const own = facts.map((fact) => fact.map((part) => JSON.stringify(part)).join(':'));
  return `{${[...own, body.slice(body.indexOf('{') + 1)].join(',')}`;
}
