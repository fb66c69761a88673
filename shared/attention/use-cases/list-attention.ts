import type { BatchTable } from '../../batches/ports.ts';
import { mapConcurrently, READS_AT_A_TIME } from '../../collections/for-each-concurrently.ts';
import type { DriftTable } from '../../drift/ports.ts';
import type { GuardTable } from '../../guards/ports.ts';
import type { ImportTable } from '../../imports/ports.ts';
import { isRestoring } from '../../limits/model.ts';
import type { LimitTable } from '../../limits/ports.ts';
import { FIRST_PAGE, LAST_PAGE } from '../../listings/pages/page-places.ts';
import type { WaitingPageTable } from '../../listings/waiting-pages.ts';
import type { OrderTable } from '../../orders/ports.ts';
import type { Store } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { allStores } from '../../stores/use-cases/all-stores.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import { type Attention, type AttentionKind, type AttentionList, attentionKindSchema } from '../model.ts';
import type { DeadLetterQueues } from '../ports.ts';
import {
  describeContested,
  describeDeadLetters,
  describeFailedImport,
  describeHeldImport,
  describeHeldPrices,
  describeRestored,
  describeStop,
  describeSuspendedStore,
  describeUnboundWork,
  describeUnknownOrder,
  describeUnmatchedSummary,
  describeUnresolvedBatch,
  type PartnerRefusal,
  type UnboundWork,
} from '../rules/describe.ts';
import { byHarm, groupsOf } from '../rules/group.ts';

export interface ListAttentionPorts {
  readonly stores: Pick<StoreTable, 'list'>;
  readonly guards: Pick<GuardTable, 'listHeld'>;
  readonly drift: Pick<DriftTable, 'listContested'>;
  readonly imports: Pick<ImportTable, 'listHeld' | 'listFailed'>;
  readonly orders: Pick<OrderTable, 'listUnknown'>;
  readonly batches: Pick<BatchTable, 'list'>;
  readonly deadLetters: DeadLetterQueues;
  readonly limits: Pick<LimitTable, 'get'>;
  readonly pages: Pick<WaitingPageTable, 'query'>;
  /** The partner whose limit is read. */
  readonly partnerClientId: string;
  readonly partnerSecret: { read(): Promise<unknown> };
  readonly partnerSecretArn: string;
  readonly restoredTables: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

const DAY_MS = 86_400_000;
/** A failed file is listed for this many days. */
const FAILED_DAYS = 7;

/**
 * Everything that waits for a person, over all stores, the most harmful first. Its reads are eventually consistent.
 *
 * @param limit most entries of one kind
 * @returns `more`: the kinds with further entries
 */
export async function listAttention(ports: ListAttentionPorts, limit: number): Promise<AttentionList> {
  const { batches, guards, drift, imports, limits, deadLetters, partnerSecretArn, restoredTables } = ports;
  const stores = await allStores(ports.stores);
  const now = ports.clock.now();
  const parts = await Promise.all([
    part('partner-refused', limit, refusalOf(ports, now), (refusal) =>
      refusal ? [describeStop(refusal, partnerSecretArn)] : [],
    ),
    part('tables-restored', limit, limits.get(ports.partnerClientId), (item) =>
      restoredTables !== undefined && isRestoring(item, restoredTables)
        ? [describeRestored(restoredTables, now)]
        : [],
    ),
    part('store-suspended', limit, Promise.resolve(stores), (all) =>
      all
        .filter(({ state }) => state === 'suspended')
        .map(describeSuspendedStore)
        .sort(byHarm),
    ),
    part('store-unbound', limit, unboundWork(ports, stores), (found) =>
      found.map(describeUnboundWork).sort(byHarm),
    ),
    part('prices-held', limit, guards.listHeld({ limit }), ({ held }) => held.map(describeHeldPrices)),
    part('listing-contested', limit, drift.listContested({ limit }), ({ drifts }) =>
      drifts.map(describeContested),
    ),
    part('import-held', limit, imports.listHeld(limit + 1), (held) => held.map(describeHeldImport)),
    part('import-failed', limit, imports.listFailed(failedSince(now), limit + 1), (failed) =>
      failed.map(describeFailedImport).sort(byHarm),
    ),
    part('order-unknown', limit, unknownOrders(ports, stores, { now, limit }), ({ orders }) =>
      orders.flatMap((order) => describeUnknownOrder(order, now)).sort(byHarm),
    ),
    part('batch-unresolved', limit, batches.list({ state: 'unresolved', limit }), (page) =>
      page.batches.map(describeUnresolvedBatch),
    ),
    part('dead-letters', limit, deadLetters.list(), (queues) =>
      queues.map((queue) => describeDeadLetters(queue, now)),
    ),
    part('summary-unmatched', limit, batches.list({ state: 'unmatched', limit }), (page) =>
      page.batches.map(describeUnmatchedSummary),
    ),
  ]);
  const attention = parts.flatMap(({ found }) => found).sort(byHarm);
  const withMore = new Set(parts.flatMap(({ more }) => more));
  const more = attentionKindSchema.options.filter((kind) => withMore.has(kind));
  const read = { stores: stores.length, deadLetterQueues: deadLetters.count };
  return { attention, groups: groupsOf(attention, more), more, checked: checkedAt(now, read) };
}

/** Files that failed before this time are no longer listed. */
function failedSince(now: EpochMs): string {
  return new Date(now - FAILED_DAYS * DAY_MS).toISOString();
}

/** Says what was read, so that a short or empty list can be trusted. */
function checkedAt(now: number, { stores, deadLetterQueues }: { stores: number; deadLetterQueues: number }) {
  const at = new Date(now).toISOString();
  const text = `read at ${at}: the state, held prices and unknown orders of ${stores} ${stores === 1 ? 'store' : 'stores'}, ${deadLetterQueues} dead-letter queues, the partner's credentials, stock and prices that wait for unbound stores, held files, files of the last ${FAILED_DAYS} days that could not be read to their end or had all rows rejected before they were sent, contested listings, unresolved batches and unmatched summaries`;
  return { at, stores, deadLetterQueues, text };
}

/** Why no request is sent for any store. The secret is checked too: if it can't be used, lanes stop only at the next send. */
async function refusalOf(
  { limits, partnerClientId, partnerSecret }: ListAttentionPorts,
  now: EpochMs,
): Promise<PartnerRefusal | undefined> {
  const stop = (await limits.get(partnerClientId))?.stop;
  if (stop !== undefined) return stop;
  return partnerSecret.read().then(
    () => undefined,
    (error: Error & { readonly code?: string }) => ({
      code: error.code ?? error.name,
      message: error.message,
      since: now,
    }),
  );
}

/** The entries of one kind. A list that was not read to its end has a cursor. */
async function part<Read extends object | undefined>(
  kind: AttentionKind,
  limit: number,
  reading: Promise<Read>,
  describe: (read: Read) => Attention[],
) {
  const read = await reading;
  const found = describe(read);
  const isCut = read !== undefined && 'cursor' in read && read.cursor !== undefined;
  return { found: found.slice(0, limit), more: isCut || found.length > limit ? [kind] : [] };
}

/** At most this many pages of waiting listings are counted for a store. */
const PAGES_COUNTED = 20;

/** Stock and prices that wait for unbound stores, by one query per unbound store. */
async function unboundWork(
  { pages }: Pick<ListAttentionPorts, 'pages'>,
  stores: readonly Store[],
): Promise<UnboundWork[]> {
  const unbound = stores.filter(({ state }) => state === 'unbound');
  const found = await mapConcurrently(unbound, READS_AT_A_TIME, async (store) => {
    const range = { from: FIRST_PAGE, to: LAST_PAGE, limit: PAGES_COUNTED };
    const { pages: waiting, isMore } = await pages.query(store.storeClientId, range);
    return {
      store,
      listings: new Set(waiting.flatMap(({ targets }) => targets)).size,
      hasMore: isMore,
      oldestAt: Math.min(...waiting.map(({ since }) => since)),
    };
  });
  return found.filter(({ listings }) => listings > 0);
}

/** One query per store, as the index of unknown orders is by store. It is sparse, so most queries find nothing. */
async function unknownOrders(
  { orders }: ListAttentionPorts,
  stores: readonly Store[],
  page: { now: EpochMs; limit: number },
) {
  const pages = await mapConcurrently(stores, READS_AT_A_TIME, ({ storeClientId }) =>
    orders.listUnknown(storeClientId, page),
  );
  return {
    orders: pages.flatMap((found) => found.orders),
    cursor: pages.find(({ cursor }) => cursor !== undefined)?.cursor,
  };
}
