import { isObject } from '../../collections/is-object.ts';
import { jsonBytes } from '../../collections/packer.ts';
import type { MessageFacts } from '../../events/parse-incoming-event.ts';
import { parseIncomingEvent } from '../../events/parse-incoming-event.ts';
import { withIdentity } from '../../events/with-identity.ts';
import { type BulkCommand, shapeOf } from '../model.ts';
import type { PackMessage, PackPart } from '../pack-message.ts';
import { identifiersOf } from './identifiers.ts';

/** A message of the queue of bulk commands. */
export interface ReceivedMessage extends MessageFacts {
  readonly body: string;
}

/** A message to send, and those that are done with once it is sent. */
export interface PackedMessage {
  readonly body: string;
  readonly messageIds: readonly string[];
}

export interface PackSettings {
  /** Most products in one pack: as many as one request takes. */
  readonly maxItems: number;
  /** Most bytes of JSON that the commands of one pack take. */
  readonly maxBytes: number;
  readonly newPackId: () => string;
}

/** A command that may share a pack, and what decides with which others. */
interface Candidate {
  readonly message: ReceivedMessage;
  readonly part: PackPart;
  readonly facts: Pick<BulkCommand, 'storeClientId' | 'detailType'>;
  /** Commands of one group share packs: those of one store, kind and shape. */
  readonly group: string;
  readonly bytes: number;
  /** What its products are called. */
  readonly names: readonly string[];
}

/**
 * Packs bulk commands of one store, kind and shape together, whole and in order, as many as fit one request. No pack has
 * two commands that name the same product: an answer that names the product alone would be about either. A command that
 * shares with no other, one that tries a batch again, and whatever is no such command, go on as they are.
 */
export function packCommands(messages: readonly ReceivedMessage[], settings: PackSettings): PackedMessage[] {
  const candidates = messages.map((message) => candidateOf(message, settings));
  const fitting = candidates.filter((candidate) => candidate !== undefined);
  const groups = Map.groupBy(fitting, ({ group }) => group);
  const packs = [...groups.values()].flatMap((group) => packGroup(group, settings));
  const others = messages.filter((_, index) => candidates[index] === undefined).map(asItIs);
  return [...packs.map((pack) => messageOf(pack, settings)), ...others];
}

/** The command of a message; `undefined` for one that goes on as it is. */
function candidateOf(message: ReceivedMessage, { maxItems, maxBytes }: PackSettings): Candidate | undefined {
  const parsed = parseIncomingEvent(
    message.body,
    ['catalog.sync.requested', 'product.create.requested'],
    message,
  );
  if (!parsed.ok) return undefined;
  const { id: eventId, time, detailType, detail } = parsed.event;
  const { storeClientId, commandId = eventId, products, retryOf } = detail;
  const part = { commandId, eventId, time, products };
  const bytes = jsonBytes(part) + 1;
  if (retryOf !== undefined || products.length > maxItems || bytes > maxBytes) return undefined;
  const objects = products.filter(isObject);
  const shapes = [...new Set(objects.map(shapeOf))].sort();
  return {
    message,
    part,
    facts: { storeClientId, detailType },
    group: JSON.stringify([storeClientId, detailType, shapes]),
    bytes,
    names: objects.flatMap((product) => Object.entries(identifiersOf(product)).map((name) => name.join(':'))),
  };
}

/** Greedily: a command that fits none of the packs begins another one. */
function packGroup(group: readonly Candidate[], limits: PackSettings): Candidate[][] {
  const packs: Candidate[][] = [];
  for (const candidate of group) {
    const pack = packs.find((one) => fits(one, candidate, limits));
    if (pack === undefined) packs.push([candidate]);
    else pack.push(candidate);
  }
  return packs;
}

function fits(
  pack: readonly Candidate[],
  candidate: Candidate,
  { maxItems, maxBytes }: PackSettings,
): boolean {
  const all = [...pack, candidate];
  const items = all.reduce((sum, { part }) => sum + part.products.length, 0);
  const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  if (items > maxItems || bytes > maxBytes) return false;
  const known = new Set(pack.flatMap(({ names }) => names));
  return !candidate.names.some((name) => known.has(name));
}

function messageOf(pack: readonly Candidate[], { newPackId }: PackSettings): PackedMessage {
  const [first] = pack;
  if (first === undefined) throw new RangeError('a pack is empty');
  if (pack.length === 1) return asItIs(first.message);
  const message: PackMessage = {
    pack: { packId: newPackId(), ...first.facts, parts: pack.map(({ part }) => part) },
  };
  return { body: JSON.stringify(message), messageIds: pack.map(({ message: { messageId } }) => messageId) };
}

/** The message under the ID and the time that it stands for, so that it is the same command however often it is sent. */
function asItIs({ body, messageId, sentAt }: ReceivedMessage): PackedMessage {
  return { body: withIdentity(body, { id: messageId, time: sentAt }), messageIds: [messageId] };
}
