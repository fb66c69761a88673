import type { Drift, ShownPage, Verification } from '../../../../shared/drift/model.ts';
import type { VerifierPorts } from '../../../../shared/drift/use-cases/verifier.ts';
import { verifyListings } from '../../../../shared/drift/use-cases/verify-listings.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import type { Listing } from '../../../../shared/listings/model.ts';
import { settleRegisters } from '../../../../shared/listings/rules/row.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { inMemoryDriftTable } from '../../../doubles/in-memory-drift-table.ts';
import { inMemoryListingTable } from '../../../doubles/in-memory-listing-table.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { inMemoryVerificationTable } from '../../../doubles/in-memory-verification-table.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { type FakeProduct, fakeMarketplace } from './fake-marketplace.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const START = Date.UTC(2026, 0, 5);
const CONNECTED = new Date(START - HOUR).toISOString();
const settings = { graceMs: 5 * MINUTE, cycleMs: 12 * HOUR, pageSize: 2 };

/** A listing of the store `s` whose price 5 was accepted an hour before `START`. */
export function listingOf(target: string): Listing {
  const price = { price: { value: 5, version: 1 } };
  const listing = {
    storeClientId: 's',
    target,
    versionKind: 'integer' as const,
    desired: price,
    sent: { price: { ...price.price, at: 'T' } },
    settled: {},
    failures: 0,
  };
  return settleRegisters(listing, price, { outcome: 'accepted' }, START - HOUR);
}

/** Writes an item, whatever is there. */
export function put<T extends object>(items: VersionedItems<T>, key: string, value: T): void {
  items.replace(key, value, items.read(key)?.revision, {});
}

/** The listing-verifier over a store `s` with a listing `sku:<name>` for each name, and these products, 2 to a page. */
export function verifierOver(names: readonly string[], products: readonly FakeProduct[]) {
  const clock = virtualClock(START);
  const store: Store = {
    storeClientId: 's',
    storeToken: 't',
    state: 'connected',
    names: { products: 'sku', orders: 'orderId' },
    connectedAt: CONNECTED,
    updatedAt: CONNECTED,
  };
  const stores = new Map([['s', store]]);
  const listings = new VersionedItems<Listing>();
  for (const name of names) put(listings, `s sku:${name}`, listingOf(`sku:${name}`));
  const drifts = new VersionedItems<Drift>();
  const verifications = new VersionedItems<Verification>();
  const events: OutgoingEvent[] = [];
  const failures: unknown[] = [];
  const marketplace = fakeMarketplace(products);
  const ports: VerifierPorts = {
    clock,
    permits: marketplace.permits,
    marketplace: marketplace.reads,
    stores: inMemoryStoreTable(undefined, stores),
    listings: inMemoryListingTable(undefined, { items: listings, pages: new Map() }, clock),
    drift: inMemoryDriftTable(undefined, { drifts, pages: new Map<string, ShownPage>() }),
    verifications: inMemoryVerificationTable(undefined, verifications),
    events: { publish: async (some) => void events.push(...some) },
    tickets: { send: async () => {} },
  };
  /** One run; the calls that it made. */
  const run = async (budget: number) => {
    marketplace.permits.left = budget;
    marketplace.calls.length = 0;
    const options = {
      stopAt: clock.now() + 2 * MINUTE,
      signal: new AbortController().signal,
      onFailure: (error: unknown) => failures.push(error),
    };
    const report = await clock.run(verifyListings(ports, settings, options));
    return { report, calls: [...marketplace.calls] };
  };
  const last = () => verifications.read('s')?.value.last;
  const pass = (ms: number) => clock.run(clock.sleep(ms));
  return { ports, clock, pass, stores, store, listings, drifts, events, failures, marketplace, last, run };
}
