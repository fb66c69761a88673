import type { FailedRequest } from '../../attempts/model.ts';
import type { ListedBatch } from '../../batches/model.ts';
import { mapConcurrently, READS_AT_A_TIME } from '../../collections/for-each-concurrently.ts';
import type { ImportRecord } from '../../imports/model.ts';
import type { Listing } from '../../listings/model.ts';
import { isEnded } from '../../listings/rules/end-by-rename.ts';
import { fieldsOfTarget, targetOf, targetsOf } from '../../listings/rules/target.ts';
import { type OrderView, orderKeyOf } from '../../orders/model.ts';
import { type Rejection, type RejectionKey, UNKNOWN_STORE } from '../../rejections/model.ts';
import { commandsNamed, planKey, subjectId } from '../../requests/model.ts';
import { waitSeenAt } from '../../requests/rules/deferral.ts';
import { allStoreIds } from '../../stores/use-cases/all-stores.ts';
import { notFound } from '../../trace/not-found.ts';
import { openCreationsOf } from '../../trace/open-creations.ts';
import { viewOrders } from '../../trace/view-orders.ts';
import type { Hit, Search } from '../model.ts';
import type { SearchPorts } from '../ports.ts';

/** Most products whose SKU begins with the word. */
const MOST_OF_PREFIX = 20;
/** Most imports of one file name. */
const MOST_IMPORTS = 10;
/** The longest ID that a record has; a target may be longer. */
const LONGEST_ID = 200;

const TARGET = /^(sku|id|externalId):./;

/**
 * What a word names: read by the keys that it may be ("What came in is found by any name, by keys" in docs/decisions/). Only if no key is
 * found, SKUs that begin with it are looked up; the events of stock and prices also if nothing but rejections is found.
 *
 * @param storeClientId only in this store. Default: all.
 */
export async function search(ports: SearchPorts, word: string, storeClientId?: string): Promise<Search> {
  const stores = await allStoreIds(ports.stores);
  const own = storeClientId === undefined ? stores : [storeClientId];
  const exact = await exactHits(ports, word, own, stores);
  const { hits: begun, hasMore } = exact.length > 0 ? NONE_BEGINS : await productsThatBegin(ports, word, own);
  const { hits: further, isInBatch } = await furtherHits(ports, word, exact, own, storeClientId);
  const hits = [...exact, ...begun, ...further];
  if (hits.length > 0) return { word, hits, hasMore };
  return { word, hits, hasMore, message: await notFound(word, ports.deadLetters, isInBatch) };
}

const NONE_BEGINS = { hits: [], hasMore: false };

/**
 * What else has the name of what was found: the event whose rows were rejected, and the product or the order in stores in which a
 * command names it or it was only rejected. The ID of anything else names nothing else.
 *
 * @returns also whether the word may be a product in an open batch all the same.
 */
async function furtherHits(
  ports: SearchPorts,
  word: string,
  exact: readonly Hit[],
  own: readonly string[],
  storeClientId: string | undefined,
): Promise<{ hits: Hit[]; isInBatch: boolean }> {
  if (word.length > LONGEST_ID) return { hits: [], isInBatch: false };
  const isNew = exact.length === 0;
  const events = exact.every(({ kind }) => kind === 'rejection') ? await eventHits(ports, word, own) : [];
  const found = exact.filter(({ kind }) => kind === 'product' || kind === 'order');
  const isFound = ({ name, value }: RejectionKey) => found.some(({ trace = {} }) => trace[name] === value);
  const keys = keysNamed(word).filter((key) => isNew || isFound(key));
  const targets = keys.flatMap(({ name, value }) => (name === 'target' ? [value] : []));
  const others = own.filter((store) => !exact.some((hit) => hit.storeClientId === store));
  const open = isNew ? await openCreationsOf(ports, targets, storeClientId) : NONE_OPEN;
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

/** The products that a command names: one that waits, or the last one that has updated or deleted the product. */
async function namedHits(
  { requests, clock }: SearchPorts,
  targets: readonly string[],
  stores: readonly string[],
): Promise<Hit[]> {
  const found = await mapConcurrently(stores, READS_AT_A_TIME, (store) =>
    Promise.all(
      targets.map(async (target) => {
        const alias = await requests.aliasOf(subjectId(store, target));
        return alias && 'command' in alias ? [{ target, command: alias.command }] : [];
      }),
    ),
  );
  const subjects = found.flat(2);
  const keys = subjects.map(({ command }) => planKey(command));
  const [plans, waits] = await Promise.all([requests.getPlans(keys), requests.getWaits(keys)]);
  return subjects.flatMap(({ target, command }): Hit[] => {
    const { storeClientId, commandId, detailType } = command;
    const [plan, wait] = [plans.get(planKey(command)), waits.get(planKey(command))];
    const at = plan?.plannedAt ?? wait?.at;
    if (at === undefined) return [];
    const said =
      plan === undefined && wait
        ? `${detailType} waits: ${waitSeenAt(wait, clock.now()).message}`
        : `last named by the command ${commandId} · ${detailType}`;
    const trace = { target, storeClientId };
    return [traced({ kind: 'product', id: target, storeClientId, what: `a product · ${said}`, at, trace })];
  });
}

/** A product of an open batch. */
function createdHit(
  { batchId, kind, submittedAt, storeClientId = '', submission }: ListedBatch,
  word: string,
): Hit {
  const wanted = targetsNamed(word);
  const target =
    submission?.names?.flatMap((row) => targetsOf(row)).find((one) => wanted.includes(one)) ?? word;
  const what = `a product · sent in batch ${batchId} · ${kind} · its final summary has not come yet`;
  const trace = { target, storeClientId };
  return traced({ kind: 'product', id: target, storeClientId, what, at: submittedAt, trace });
}

/** What the word may name of a rejection. */
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
): Promise<Hit[]> {
  const products = productHits(ports, word, own);
  if (TARGET.test(word) || word.length > LONGEST_ID) return products;
  const found = await Promise.all([
    products,
    mapConcurrently(own, READS_AT_A_TIME, (store) => orderHits(ports, store, word)),
    commandHits(ports, word, own),
    batchHits(ports, word),
    requestHits(ports, word),
    fileHits(ports, word),
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
  return withoutCovered(hits.filter(isOwn));
}

/** Without rejections of a command that is among the hits: its trace has them. */
function withoutCovered(hits: readonly Hit[]): Hit[] {
  const traced = hits.filter(({ kind }) => kind === 'command').map((hit) => hit.storeClientId);
  return hits.filter(({ kind, storeClientId }) => kind !== 'rejection' || !traced.includes(storeClientId));
}

/** The products that are listed by this name, and those of the product with this ID. */
async function productHits(
  { listings }: SearchPorts,
  word: string,
  stores: readonly string[],
): Promise<Hit[]> {
  const targets = targetsNamed(word);
  const productId = targets.flatMap((target) => fieldsOfTarget(target)).find((name) => 'id' in name)?.id;
  const [named, ofProduct] = await Promise.all([
    mapConcurrently(stores, READS_AT_A_TIME, async (store) => [
      ...(await listings.getMany(store, targets, { mayBeStale: true })).values(),
    ]),
    productId === undefined || productId.length > LONGEST_ID ? [] : listings.ofProduct(productId),
  ]);
  const own = ofProduct.filter(({ storeClientId }) => stores.includes(storeClientId));
  return onceEach([...named.flat(), ...own]).map(productHit);
}

/** The listings without those of further names of the same product. */
function onceEach(listings: readonly Listing[]): Listing[] {
  const keyOf = (storeClientId: string, target: string) => JSON.stringify([storeClientId, target]);
  const seen = new Set<string>();
  return listings.filter(({ storeClientId, target, sameAs = [] }) => {
    if (seen.has(keyOf(storeClientId, target))) return false;
    for (const name of [target, ...sameAs]) seen.add(keyOf(storeClientId, name));
    return true;
  });
}

/** What the word may be as a target. */
function targetsNamed(word: string): string[] {
  return TARGET.test(word)
    ? [targetOf(fieldsOfTarget(word))]
    : targetsOf({ sku: word, id: word, externalId: word });
}

function productHit(listing: Listing): Hit {
  const { storeClientId, target, desired, sent, settled, live, createdAt, waitingSince, renamed } = listing;
  const values = Object.entries(desired).map(([name, register]) => `${name} ${register?.value ?? 'none'}`);
  const what = [
    'a product',
    ...(values.length > 0 ? [values.join(', ')] : []),
    ...(waitingSince ? ['waits'] : []),
    ...(renamed && isEnded(listing) ? [`renamed: its values went to ${renamed.to}`] : []),
  ];
  const created = createdAt === undefined ? undefined : new Date(createdAt).toISOString();
  const answered = [...Object.values(sent), ...Object.values(settled)].map((register) => register?.at);
  const at = [created, live?.at, ...answered]
    .filter((one) => one !== undefined)
    .sort()
    .at(-1);
  return {
    kind: 'product',
    id: target,
    storeClientId,
    what: what.join(' · '),
    ...(at !== undefined && { at }),
    path: `/stores/${encodeURIComponent(storeClientId)}/listings?target=${encodeURIComponent(target)}`,
    trace: { target, storeClientId },
  };
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
  const { batchId, storeClientId, kind = 'batch', state, submittedAt } = batch;
  const other = `${direct ? 'a final summary' : 'the request'} of batch ${batchId}`;
  const what = `${batch === direct ? 'a batch' : other} · ${kind} · ${state}`;
  const path = `/batches/${encodeURIComponent(batchId)}`;
  const own = storeClientId === undefined ? {} : { storeClientId };
  return [{ kind: 'batch', id: batchId, ...own, what, at: submittedAt, path, trace: { batchId } }];
}

/** Keys of items of the Requests table that are no requests have a `#`. */
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

/** Of stock or prices. A request of a command is found by its own record. */
function failedRequestHit(
  requestId: string,
  { storeClientId, kind, rows, outcome, status, code, at }: FailedRequest,
): Hit {
  const why = [status, code].filter(Boolean).join(' ');
  const what = `a ${kind} request of ${rows} ${rows === 1 ? 'row' : 'rows'} · ${outcome}: ${why}`;
  return traced({ kind: 'request', id: requestId, storeClientId, what, at, trace: { requestId } });
}

async function fileHits({ imports }: SearchPorts, word: string): Promise<Hit[]> {
  const [own, named] = await Promise.all([imports.get(word), imports.listNamed(word, MOST_IMPORTS)]);
  const files: ImportRecord[] = own === undefined ? named : [own, ...named];
  return files.map(({ importId, storeClientId, key, putAt, reading }) => ({
    kind: 'file',
    id: importId,
    storeClientId,
    what: `a file · ${key} · ${reading === undefined ? 'is read' : `${reading.rows} rows`}`,
    at: putAt,
    path: `/imports/${encodeURIComponent(importId)}`,
  }));
}

async function rejectionHits({ rejections }: SearchPorts, word: string): Promise<Hit[]> {
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
 * @param inStores those in which something else names it
 */
async function rejectedHits(
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

function rejectedHit(last: Rejection, { name, value }: RejectionKey, isOnly: boolean): Hit {
  const { storeClientId, code, message, rejectedAt } = last;
  if (name === 'eventId') return rejectionHit(last, { [name]: value, storeClientId });
  const kind = name === 'target' ? 'product' : 'order';
  // A store that was not connected then may be now, and have it.
  const said = isOnly && storeClientId !== UNKNOWN_STORE ? 'only rejected' : 'rejected';
  const what = `${kind === 'product' ? 'a product' : 'an order'} · ${said}: ${code}: ${message}`;
  const trace = { [name]: value, storeClientId };
  return traced({ kind, id: value, storeClientId, what, at: rejectedAt, trace });
}

async function productsThatBegin(
  { listings }: SearchPorts,
  word: string,
  stores: readonly string[],
): Promise<{ hits: Hit[]; hasMore: boolean }> {
  const start = TARGET.test(word) ? word : `sku:${word}`;
  const found = (
    await mapConcurrently(stores, READS_AT_A_TIME, (store) =>
      listings.named(store, start, MOST_OF_PREFIX + 1),
    )
  ).flat();
  return { hits: found.slice(0, MOST_OF_PREFIX).map(productHit), hasMore: found.length > MOST_OF_PREFIX };
}

async function eventHits(
  { changeEvents }: SearchPorts,
  word: string,
  stores: readonly string[],
): Promise<Hit[]> {
  const events = (await changeEvents.get(word)).filter(({ storeClientId }) => stores.includes(storeClientId));
  return events.map(({ eventId, storeClientId, detailType, rows, takenAt }) => {
    const what = `an event · ${detailType} · ${rows} rows`;
    const trace = { eventId, storeClientId };
    return traced({ kind: 'event', id: eventId, storeClientId, what, at: takenAt, trace });
  });
}

/** What only its trace shows. */
function traced(hit: Omit<Hit, 'path'> & Required<Pick<Hit, 'trace'>>): Hit {
  return { ...hit, path: `/trace?${new URLSearchParams(hit.trace)}` };
}
