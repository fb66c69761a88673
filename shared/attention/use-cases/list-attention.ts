import type { BatchTable } from '../../batches/ports.ts';
import { mapConcurrently } from '../../collections/for-each-concurrently.ts';
import { eachPage } from '../../collections/page-request.ts';
import type { DriftTable } from '../../drift/ports.ts';
import type { GuardTable } from '../../guards/ports.ts';
import type { ImportTable } from '../../imports/model.ts';
import type { LimitTable } from '../../limits/model.ts';
import type { OrderTable } from '../../orders/ports.ts';
import type { Store } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Attention, AttentionKind } from '../model.ts';
import type { DeadLetterQueues } from '../ports.ts';
import {
  describeContested,
  describeDeadLetters,
  describeHeldImport,
  describeHeldPrices,
  describeStop,
  describeSuspendedStore,
  describeUnknownOrder,
  describeUnmatchedSummary,
  describeUnresolvedBatch,
} from '../rules/describe.ts';

export interface ListAttentionPorts {
  readonly stores: Pick<StoreTable, 'list'>;
  readonly guards: Pick<GuardTable, 'listHeld'>;
  readonly drift: Pick<DriftTable, 'listContested'>;
  readonly imports: Pick<ImportTable, 'listHeld'>;
  readonly orders: Pick<OrderTable, 'listUnknown'>;
  readonly batches: Pick<BatchTable, 'list'>;
  readonly deadLetters: DeadLetterQueues;
  readonly limits: Pick<LimitTable, 'get'>;
  /** Whose limit it is. */
  readonly partnerClientId: string;
  readonly partnerSecretArn: string;
  readonly clock: { now(): number };
}

/** Entries of one kind. */
interface Part {
  readonly kind: AttentionKind;
  readonly found: readonly Attention[];
  readonly hasMore: boolean;
}

/** Stores queried at the same time. */
const CONCURRENCY = 20;

/**
 * Everything that waits for a person, over all stores, oldest first. Its reads are eventually consistent.
 *
 * @param limit most entries of one kind
 * @returns `more`: the kinds with further entries
 */
export async function listAttention(
  ports: ListAttentionPorts,
  limit: number,
): Promise<{ attention: Attention[]; more: AttentionKind[] }> {
  const { batches, guards, drift } = ports;
  const stores = (await Array.fromAsync(eachPage(ports.stores.list))).flatMap((page) => page.stores);
  const parts = await Promise.all([
    refusedPartner(ports),
    oldest('store-suspended', suspendedStores(stores), limit),
    part('prices-held', guards.listHeld({ limit }), ({ held }) => held.map(describeHeldPrices)),
    part('listing-contested', drift.listContested({ limit }), ({ drifts }) => drifts.map(describeContested)),
    heldImports(ports, limit),
    unknownOrders(ports, stores, limit),
    part('batch-unresolved', batches.list({ state: 'unresolved', limit }), (page) =>
      page.batches.map(describeUnresolvedBatch),
    ),
    deadLetters(ports),
    part('summary-unmatched', batches.list({ state: 'unmatched', limit }), (page) =>
      page.batches.map(describeUnmatchedSummary),
    ),
  ]);
  return {
    attention: parts.flatMap(({ found }) => found).sort(byAge),
    more: parts.filter(({ hasMore }) => hasMore).map(({ kind }) => kind),
  };
}

/** The entries of a page of a list. */
async function part<Page extends { readonly cursor?: string }>(
  kind: AttentionKind,
  reading: Promise<Page>,
  describe: (page: Page) => Attention[],
): Promise<Part> {
  const page = await reading;
  return { kind, found: describe(page), hasMore: page.cursor !== undefined };
}

async function refusedPartner(ports: ListAttentionPorts): Promise<Part> {
  const stop = (await ports.limits.get(ports.partnerClientId))?.stop;
  const found = stop ? [describeStop(stop, ports.partnerSecretArn)] : [];
  return { kind: 'partner-refused', found, hasMore: false };
}

async function deadLetters({ deadLetters: queues, clock }: ListAttentionPorts): Promise<Part> {
  const found = (await queues.list()).map((queue) => describeDeadLetters(queue, clock.now()));
  return { kind: 'dead-letters', found, hasMore: false };
}

function byAge(one: Attention, other: Attention): number {
  return Date.parse(one.since) - Date.parse(other.since);
}

/** The oldest `limit` entries. */
function oldest(kind: AttentionKind, found: readonly Attention[], limit: number): Part {
  return { kind, found: found.toSorted(byAge).slice(0, limit), hasMore: found.length > limit };
}

function suspendedStores(stores: readonly Store[]): Attention[] {
  return stores.filter(({ state }) => state === 'suspended').map(describeSuspendedStore);
}

async function heldImports({ imports }: ListAttentionPorts, limit: number): Promise<Part> {
  const held = await imports.listHeld(limit + 1);
  const found = held.slice(0, limit).map(describeHeldImport);
  return { kind: 'import-held', found, hasMore: held.length > limit };
}

/** One query per store, as the index of unknown orders is by store. It is sparse, so most queries find nothing. */
async function unknownOrders(
  { orders, clock }: ListAttentionPorts,
  stores: readonly Store[],
  limit: number,
): Promise<Part> {
  const now = clock.now();
  const pages = await mapConcurrently(stores, CONCURRENCY, ({ storeClientId }) =>
    orders.listUnknown(storeClientId, { now, limit }),
  );
  const found = pages.flatMap((page) => page.orders.flatMap((order) => describeUnknownOrder(order, now)));
  const part = oldest('order-unknown', found, limit);
  return { ...part, hasMore: part.hasMore || pages.some(({ cursor }) => cursor !== undefined) };
}
