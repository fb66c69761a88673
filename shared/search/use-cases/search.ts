import type { FailedRequest } from '../../attempts/model.ts';
import { mapConcurrently, READS_AT_A_TIME } from '../../collections/for-each-concurrently.ts';
import type { ImportRecord } from '../../imports/model.ts';
import { type OrderView, orderKeyOf } from '../../orders/model.ts';
import { type RejectionKey, UNKNOWN_STORE } from '../../rejections/model.ts';
import { commandsNamed, planKey } from '../../requests/model.ts';
import { allStoreIds } from '../../stores/use-cases/all-stores.ts';
import { notFound } from '../../trace/not-found.ts';
import { openCreationsOf } from '../../trace/open-creations.ts';
import { viewOrders } from '../../trace/view-orders.ts';
import { type Hit, LONGEST_ID, type Search, traced } from '../model.ts';
import type { SearchPorts } from '../ports.ts';
import {
  createdHit,
  namedHits,
  productHits,
  productsThatBegin,
  TARGET,
  targetsNamed,
} from './product-hits.ts';
import { rejectedHits, rejectionHits, unconnectedStoreHits } from './rejected-hits.ts';

/** Most imports of one file name. */
const MOST_IMPORTS = 10;

/**
 * What a word names. Reads by the keys that the word may be ("What came in is found by any name, by keys" in docs/decisions/). If no key
 * is found, looks up SKUs that begin with the word, and events of stock and prices. These events are also looked up if only rejections
 * are found.
 *
 * @param storeClientId searches only in this store. Default: all stores.
 */
export async function search(ports: SearchPorts, word: string, storeClientId?: string): Promise<Search> {
  const stores = await allStoreIds(ports.stores);
  const own = storeClientId === undefined ? stores : [storeClientId];
  const { hits: exact, hasMore: hasMoreFiles } = await exactHits(ports, word, own, stores);
  const { hits: begun, hasMore: hasMoreProducts } =
    exact.length > 0 ? NONE_BEGINS : await productsThatBegin(ports, word, own);
  const { hits: further, isInBatch } = await furtherHits(ports, word, exact, own, storeClientId);
  const hits = [...exact, ...begun, ...further];
  const hasMore = hasMoreFiles || hasMoreProducts;
  if (hits.length > 0) return { word, hits, hasMore };
  const unconnected = storeClientId === undefined ? await unconnectedStoreHits(ports, word) : [];
  if (unconnected.length > 0) return { word, hits: unconnected, hasMore };
  return { word, hits, hasMore, message: await notFound(word, ports.deadLetters, isInBatch) };
}

const NONE_BEGINS = { hits: [], hasMore: false };

/**
 * Further things with the name: the event whose rows were rejected, and a product or an order in stores where only a command or a
 * rejection names it. Any other kind of ID names one thing only.
 *
 * @returns also whether the word may be a product in an open batch that was not found.
 */
async function furtherHits(
  ports: SearchPorts,
  word: string,
  exact: readonly Hit[],
  own: readonly string[],
  storeClientId: string | undefined,
): Promise<{ hits: Hit[]; isInBatch: boolean }> {
  if (word.length > LONGEST_ID) return { hits: [], isInBatch: false };
  const isNothingFound = exact.length === 0;
  const events = exact.every(({ kind }) => kind === 'rejection') ? await eventHits(ports, word, own) : [];
  const found = exact.filter(({ kind }) => kind === 'product' || kind === 'order');
  const isFound = ({ name, value }: RejectionKey) => found.some(({ trace = {} }) => trace[name] === value);
  const keys = keysNamed(word).filter((key) => isNothingFound || isFound(key));
  const targets = keys.flatMap(({ name, value }) => (name === 'target' ? [value] : []));
  const others = own.filter((store) => !exact.some((hit) => hit.storeClientId === store));
  const open = isNothingFound ? await openCreationsOf(ports, targets, storeClientId) : NONE_OPEN;
  const named = [
    ...(await namedHits(ports, targets, others)),
    ...open.found.map((batch) => createdHit(batch, word)),
  ];
  const inStores = new Set(named.map((hit) => hit.storeClientId));
  const stores = storeClientId === undefined ? [...others, UNKNOWN_STORE] : others;
  const rejected = await rejectedHits(ports, keys, stores, inStores);
  return { hits: [...named, ...events, ...rejected], isInBatch: !open.isWhole };
}

const NONE_OPEN = { found: [], isWhole: true };

/** The keys of rejections that the word may be. */
function keysNamed(word: string): RejectionKey[] {
  const targets = targetsNamed(word).map((value) => ({ name: 'target', value }) as const);
  if (TARGET.test(word)) return targets;
  const names = ['orderId', 'invoiceNumber', 'eventId'] as const;
  return [...targets, ...names.map((name) => ({ name, value: word }))];
}

async function exactHits(
  ports: SearchPorts,
  word: string,
  own: readonly string[],
  stores: readonly string[],
): Promise<{ hits: Hit[]; hasMore: boolean }> {
  const products = productHits(ports, word, own);
  if (TARGET.test(word) || word.length > LONGEST_ID) return { hits: await products, hasMore: false };
  const files = fileHits(ports, word, own === stores ? undefined : own[0]);
  const found = await Promise.all([
    products,
    mapConcurrently(own, READS_AT_A_TIME, (store) => orderHits(ports, store, word)),
    commandHits(ports, word, own),
    batchHits(ports, word),
    requestHits(ports, word),
    files.then(({ hits }) => hits),
    rejectionHits(ports, word),
  ]);
  const named = stores.includes(word)
    ? [
        {
          kind: 'store',
          id: word,
          storeClientId: word,
          what: 'a store',
          path: `/stores/${encodeURIComponent(word)}`,
        } as const,
      ]
    : [];
  const hits = [...named, ...found.flat(2)];
  const isOwn = ({ storeClientId: of = '' }: Hit) => own === stores || own.includes(of);
  return { hits: withoutCovered(hits.filter(isOwn)), hasMore: (await files).hasMore };
}

/** Leaves out rejections of a command that is among the hits: the command's trace has them. */
function withoutCovered(hits: readonly Hit[]): Hit[] {
  const storesOfCommands = hits.filter(({ kind }) => kind === 'command').map((hit) => hit.storeClientId);
  return hits.filter(
    ({ kind, storeClientId }) => kind !== 'rejection' || !storesOfCommands.includes(storeClientId),
  );
}

async function orderHits(ports: SearchPorts, storeClientId: string, word: string): Promise<Hit[]> {
  const names = [{ orderId: word }, { invoiceNumber: word }];
  const hits = await Promise.all(
    names.map(async (name) => {
      const order = await ports.orders.get(storeClientId, orderKeyOf(name));
      return order === undefined
        ? []
        : (await viewOrders(ports, [order])).map((view) => orderHit(view, name));
    }),
  );
  return hits.flat();
}

function orderHit(
  { storeClientId, decision, dropoff, documents = {}, waits = [] }: OrderView,
  name: { readonly orderId?: string; readonly invoiceNumber?: string },
): Hit {
  const said = [
    ...(decision ? [`${decision.decision ?? 'decision'}: ${decision.state}`] : []),
    ...(dropoff ? [`dropoff: ${dropoff.state}`] : []),
    ...Object.entries(documents).map(([document, its]) => `${document}: ${its?.state}`),
    ...waits.map(({ detailType, message }) => `${detailType} waits: ${message}`),
  ];
  const [[key = '', id = ''] = []] = Object.entries(name);
  const last = [decision, dropoff].flatMap((one) => one?.endedAt ?? one?.startedAt ?? []);
  const fetched = Object.values(documents).flatMap((document) => document?.at ?? []);
  const at = [...last, ...fetched, ...waits.map((wait) => wait.at)].toSorted().at(-1);
  return {
    kind: 'order',
    id,
    storeClientId,
    what: ['an order', ...said].join(' · '),
    ...(at !== undefined && { at }),
    path: `/stores/${encodeURIComponent(storeClientId)}/orders?${key}=${encodeURIComponent(id)}`,
    trace: { [key]: id, storeClientId },
  };
}

async function commandHits(
  { requests }: SearchPorts,
  word: string,
  stores: readonly string[],
): Promise<Hit[]> {
  const alias = await requests.aliasOf(word);
  const commands = [...commandsNamed(word, stores), ...(alias && 'command' in alias ? [alias.command] : [])];
  const keys = commands.map(planKey);
  const [plans, waits] = await Promise.all([requests.getPlans(keys), requests.getWaits(keys)]);
  return commands.flatMap((command): Hit[] => {
    const key = planKey(command);
    const at = plans.get(key)?.plannedAt ?? waits.get(key)?.at;
    if (at === undefined) return [];
    const { storeClientId, commandId, detailType } = command;
    const trace = commandId === word ? { commandId, storeClientId } : { eventId: word };
    const what = `${commandId === word ? 'a command' : `the event of command ${commandId}`} · ${detailType}`;
    return [traced({ kind: 'command', id: word, storeClientId, what, at, trace })];
  });
}

async function batchHits({ batches }: SearchPorts, word: string): Promise<Hit[]> {
  const direct = await batches.get(word);
  const linked = direct === undefined ? await batches.linkedTo(word) : direct.matchedTo;
  const batch = (linked === undefined ? undefined : await batches.get(linked)) ?? direct;
  if (batch === undefined) return [];
  const { batchId, storeClientId, kind, state, submittedAt } = batch;
  const other = `${direct ? 'a final summary' : 'the request'} of batch ${batchId}`;
  const named = kind === undefined ? 'a final summary without a batch' : `a batch · ${kind}`;
  const what = `${batch === direct ? named : `${other} · ${kind ?? 'batch'}`} · ${state}`;
  const path = `/batches/${encodeURIComponent(batchId)}`;
  const own = storeClientId === undefined ? {} : { storeClientId };
  return [{ kind: 'batch', id: batchId, ...own, what, at: submittedAt, path, trace: { batchId } }];
}

/** In the Requests table, a key with a `#` belongs to an item that is not a request. */
async function requestHits({ requests }: SearchPorts, word: string): Promise<Hit[]> {
  const alias = await requests.aliasOf(word);
  if (alias && 'failed' in alias) return [failedRequestHit(word, alias.failed)];
  const recordId = alias && 'recordId' in alias ? alias.recordId : word;
  const request = recordId.includes('#') ? undefined : await requests.get(recordId);
  if (request === undefined) return [];
  const { storeClientId, kind, state, createdAt } = request;
  const what = `a request · ${kind} · ${state}`;
  const trace = { requestId: word };
  return [traced({ kind: 'request', id: word, storeClientId, what, at: createdAt, trace })];
}

/** The hit of a failed request of stock or prices. A request of a command is found by its own record. */
function failedRequestHit(
  requestId: string,
  { storeClientId, kind, rows, outcome, status, code, at }: FailedRequest,
): Hit {
  const why = [status, code].filter(Boolean).join(' ');
  const what = `a ${kind} request of ${rowsText(rows)} · ${outcome}: ${why}`;
  return traced({ kind: 'request', id: requestId, storeClientId, what, at, trace: { requestId } });
}

async function fileHits(
  { imports }: SearchPorts,
  word: string,
  storeClientId: string | undefined,
): Promise<{ hits: Hit[]; hasMore: boolean }> {
  const [own, named] = await Promise.all([
    imports.get(word),
    imports.listNamed(word, { limit: MOST_IMPORTS + 1, storeClientId }),
  ]);
  const shown = named.slice(0, MOST_IMPORTS);
  const files: ImportRecord[] = own === undefined ? shown : [own, ...shown];
  const hits = files.map(({ importId, storeClientId: store, key, putAt, reading }) => ({
    kind: 'file' as const,
    id: importId,
    storeClientId: store,
    what: `a file · ${key} · ${reading === undefined ? 'is read' : rowsText(reading.rows)}`,
    at: putAt,
    path: `/imports/${encodeURIComponent(importId)}`,
  }));
  return { hits, hasMore: named.length > shown.length };
}

async function eventHits(
  { changeEvents }: SearchPorts,
  word: string,
  stores: readonly string[],
): Promise<Hit[]> {
  const events = (await changeEvents.get(word)).filter(({ storeClientId }) => stores.includes(storeClientId));
  return events.map(({ eventId, storeClientId, detailType, rows, takenAt }) => {
    const what = `an event · ${detailType} · ${rowsText(rows)}`;
    const trace = { eventId, storeClientId };
    return traced({ kind: 'event', id: eventId, storeClientId, what, at: takenAt, trace });
  });
}

function rowsText(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}
