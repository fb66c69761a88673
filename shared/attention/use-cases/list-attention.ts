import type { BatchTable } from '../../batches/ports.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
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
    suspendedStores(stores, limit),
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
    attention: parts.flatMap(({ found }) => found).sort((a, b) => Date.parse(a.since) - Date.parse(b.since)),
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

function suspendedStores(stores: readonly Store[], limit: number): Part {
  const suspended = stores.filter(({ state }) => state === 'suspended');
  return {
    kind: 'store-suspended',
    found: suspended.slice(0, limit).map(describeSuspendedStore),
    hasMore: suspended.length > limit,
  };
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
  const found: Attention[] = [];
  let hasMore = false;
  await forEachConcurrently(stores, CONCURRENCY, async ({ storeClientId }) => {
    const page = await orders.listUnknown(storeClientId, { now, limit });
    found.push(...page.orders.flatMap((order) => describeUnknownOrder(order, now)));
    hasMore ||= page.cursor !== undefined;
  });
  return { kind: 'order-unknown', found: found.slice(0, limit), hasMore: hasMore || found.length > limit };
}
