import * as z from 'zod';
import { searchSchema } from '../../shared/search/model.ts';
import { storeViewSchema } from '../../shared/stores/model.ts';
import { type Trace, traceSchema } from '../../shared/trace/model.ts';
import type { ApiClient } from '../clients/api-client.ts';
import { ApiError, CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { wordsOf } from '../invocation.ts';
import { isTarget, targetNamed } from '../product-target.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** Stores in which a product is read at the marketplace unless one is named. */
export const MOST_STORES = 10;

/** `GET /trace` takes no longer ID but a target. */
const LONGEST_ID = 200;

/**
 * Looks an ID up as everything that it may be: as a batch, event or command first, then as a product or an order, with a trace
 * of each store that has it.
 */
export async function findTraces(
  api: ApiClient,
  id: string,
  { store, live }: { store: string | undefined; live: boolean },
): Promise<Trace[]> {
  if (id === '') throw usageError('an ID must be given');
  const isProduct = isTarget(id) || id.length > LONGEST_ID;
  const work: Query[] = isProduct ? [] : [{ batchId: id }, { eventId: id, storeClientId: store }];
  const found = await findAll(api, work);
  if (found.length > 0) return found;
  const target = targetNamed(id);
  if (live) await readLive(api, target, store);
  const orders: Query[] = isProduct ? [] : [{ orderId: id }, { invoiceNumber: id }];
  const queries = [{ target }, ...orders].map((query) => ({ ...query, storeClientId: store }));
  return (await findAll(api, queries)).flatMap(ofEachStore);
}

/** Most things that a word names whose traces are read. */
const MOST_HITS = 5;

/**
 * The traces of what else a word names, such as a request or the beginning of a SKU.
 *
 * @throws CliError that says where it may be if it names nothing that has a trace
 */
export async function searchTraces(
  api: ApiClient,
  word: string,
  storeClientId: string | undefined,
): Promise<Trace[]> {
  const query = { q: word, storeClientId };
  const { hits, message } = await api.call(searchSchema, 'GET', ['search'], { query });
  const queries = hits.slice(0, MOST_HITS).flatMap(({ trace }) => (trace ? [trace] : []));
  const traces = await findAll(api, queries);
  if (traces.length > 0) return traces;
  const file = hits.find(({ kind }) => kind === 'file');
  const other = hits.map(({ kind, id, what }) => `${kind} ${id}: ${what}`).join('; ');
  throw new CliError(
    message ?? `${word} names no event, command, batch, request, product or order: ${other}`,
    {
      code: 'TRACE_UNKNOWN',
      exitCode: EXIT.failed,
      hint:
        file === undefined
          ? 'A product by another name than its SKU: id:… or externalId:…'
          : `A file has no trace: \`${wordsOf('imports show', [file.id])}\` shows it.`,
    },
  );
}

/** The trace of each store, by its name. */
function ofEachStore({ subject, steps }: Trace): Trace[] {
  const stores = new Set(steps.map(({ storeClientId }) => storeClientId));
  return [...stores].sort().map((storeClientId) => ({
    subject: { ...subject, storeClientId },
    steps: steps.filter((step) => step.storeClientId === storeClientId),
  }));
}

/** Of a store without the product, or in which no product is read. */
const NOT_READ_THERE: ReadonlySet<string> = new Set([
  'LISTING_UNKNOWN',
  'LISTING_NOT_READABLE',
  'STORE_NOT_CONNECTED',
]);

/**
 * Has the stack read a product at the marketplace, in one store or in the first ones. It is part of the trace then.
 *
 * @returns in how many stores it was read
 * @throws the error of the store that is named, or if it was read in none, of one in which the read failed
 */
export async function readLive(api: ApiClient, target: string, store: string | undefined): Promise<number> {
  const stores = store === undefined ? await someStores(api) : [store];
  const query = { target, refresh: true };
  const reads = await Promise.allSettled(
    stores.map((storeClientId) => api.text('GET', ['stores', storeClientId, 'listings'], { query })),
  );
  const failures = reads.flatMap((read) => (read.status === 'rejected' ? [read.reason as unknown] : []));
  // Most of the stores do not have the product.
  const isUsual = (error: unknown) => error instanceof ApiError && NOT_READ_THERE.has(error.code);
  const failure = failures.find((error) => store !== undefined || !isUsual(error));
  if (failure !== undefined && failures.length === reads.length) throw failure;
  return reads.length - failures.length;
}

async function someStores(api: ApiClient): Promise<string[]> {
  const answerSchema = z.object({ stores: z.array(storeViewSchema) });
  const { stores } = await api.call(answerSchema, 'GET', ['stores'], { query: { limit: MOST_STORES } });
  return stores.map(({ storeClientId }) => storeClientId);
}

async function findAll(api: ApiClient, queries: readonly Query[]): Promise<Trace[]> {
  const traces = await Promise.all(queries.map((query) => readTrace(api, query)));
  return traces.filter((trace) => trace !== undefined);
}

/** @returns `undefined` if nothing is known of the subject */
export async function readTrace(api: ApiClient, query: Query): Promise<Trace | undefined> {
  try {
    return await api.call(traceSchema, 'GET', ['trace'], { query });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'TRACE_UNKNOWN') return undefined;
    throw error;
  }
}
