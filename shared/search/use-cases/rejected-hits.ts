import { mapConcurrently, READS_AT_A_TIME } from '../../collections/for-each-concurrently.ts';
import { type Rejection, type RejectionKey, UNKNOWN_STORE } from '../../rejections/model.ts';
import { type Hit, LONGEST_ID, traced } from '../model.ts';
import type { SearchPorts } from '../ports.ts';

export async function rejectionHits({ rejections }: SearchPorts, word: string): Promise<Hit[]> {
  const [first, ...others] = await rejections.listOf(word);
  return first === undefined ? [] : [rejectionHit(first, { eventId: word }, others.length)];
}

function rejectionHit(
  { storeClientId, code, message, rejectedAt, detailType = 'an event' }: Rejection,
  trace: { readonly eventId: string; readonly storeClientId?: string },
  others = 0,
): Hit {
  const more = others > 0 ? ` and ${others} more` : '';
  const what = `${detailType} · rejected: ${code}: ${message}${more}`;
  return traced({ kind: 'rejection', id: trace.eventId, storeClientId, what, at: rejectedAt, trace });
}

/**
 * A product or an order that rejections name, or the event of a command that was rejected whole.
 *
 * @param inStores stores in which another record names the product or order
 */
export async function rejectedHits(
  { rejections }: SearchPorts,
  keys: readonly RejectionKey[],
  stores: readonly string[],
  inStores: ReadonlySet<string | undefined>,
): Promise<Hit[]> {
  const found = await mapConcurrently(stores, READS_AT_A_TIME, async (storeClientId): Promise<Hit[]> => {
    const hits = keys.map(async (about) => {
      const last = (await rejections.listOfStores([storeClientId], { about, limit: 1 })).rejections[0];
      return last === undefined ? [] : [rejectedHit(last, about, !inStores.has(storeClientId))];
    });
    return (await Promise.all(hits)).flat();
  });
  return found.flat();
}

/** A store that events or files have named, but that was never connected. */
export async function unconnectedStoreHits({ rejections }: SearchPorts, word: string): Promise<Hit[]> {
  if (word === UNKNOWN_STORE || word.length > LONGEST_ID) return [];
  const [last] = (await rejections.listOfStores([word], { limit: 1 })).rejections;
  if (last === undefined) return [];
  const what = `a store · not connected to this stack · last rejected: ${last.code}: ${last.message}`;
  const path = `/stores/${encodeURIComponent(word)}/rejections`;
  return [{ kind: 'store', id: word, storeClientId: word, what, at: last.rejectedAt, path }];
}

function rejectedHit(last: Rejection, { name, value }: RejectionKey, isOnly: boolean): Hit {
  const { storeClientId, code, message, rejectedAt } = last;
  if (name === 'eventId') return rejectionHit(last, { [name]: value, storeClientId });
  const kind = name === 'target' ? 'product' : 'order';
  // A store that was not connected at the time of the rejection may be connected now, and have the thing.
  const said = isOnly && storeClientId !== UNKNOWN_STORE ? 'only rejected' : 'rejected';
  const what = `${kind === 'product' ? 'a product' : 'an order'} · ${said}: ${code}: ${message}`;
  const trace = { [name]: value, storeClientId };
  return traced({ kind, id: value, storeClientId, what, at: rejectedAt, trace });
}
