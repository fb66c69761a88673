import { type Search, searchSchema } from '../../../shared/search/model.ts';
import type { Trace } from '../../../shared/trace/model.ts';
import type { ApiClient } from '../../clients/api-client.ts';
import { readLive, readTrace } from '../../events/find-traces.ts';
import { targetNamed } from '../../product-target.ts';
import { type Timeline, timelineOf } from '../../render/trace.ts';

/** What a word names, and the history of each thing, unless these are many. */
type Found = Search & {
  readonly traces: readonly Timeline[];
  /** In how many stores the product was read at the marketplace; absent unless that was asked for. */
  readonly read?: number;
};

/** Things that are shown with their histories. */
const MOST_TRACES = 5;

/** @param options.live whether a product is read at the marketplace before: it is then part of its history */
export async function find(
  api: ApiClient,
  word: string,
  { store, live }: { store: string | undefined; live: boolean },
): Promise<Found> {
  const read = live ? await readLive(api, targetNamed(word), store) : undefined;
  const query = { q: word, storeClientId: store };
  const found = await api.call(searchSchema, 'GET', ['search'], { query });
  const traced = found.hits.length > MOST_TRACES ? [] : found.hits;
  const traces = await Promise.all(traced.map(({ trace }) => trace && readTrace(api, trace)));
  return {
    ...found,
    traces: traces.filter((one): one is Trace => one !== undefined).map(timelineOf),
    ...(read !== undefined && { read }),
  };
}
