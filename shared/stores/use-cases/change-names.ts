import { isDeepStrictEqual } from 'node:util';
import { ConnectorError } from '../../errors/connector-error.ts';
import type { Clock } from '../../time/clock.ts';
import type { Store, StoreNames } from '../model.ts';
import type { StoreTable } from '../ports.ts';
import { formerNamesOf, type GivenNames, namesWith } from '../rules/names.ts';

export interface ChangeNamesPorts {
  readonly stores: Pick<StoreTable, 'get' | 'beginRenaming' | 'endRenaming' | 'forgetFormerName'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether any work of the store waits or is in progress. */
  readonly hasWork: (storeClientId: string) => Promise<boolean>;
  /** Runs `work` while no stock or price of the store can be sent; `undefined` if a sender holds the lane. */
  readonly whileIdle: <Result>(
    storeClientId: string,
    work: () => Promise<Result>,
  ) => Promise<Result | undefined>;
  /** Deletes listings with these kinds of name until `until` (epoch ms); returns whether all were deleted. */
  readonly dropListings: (
    storeClientId: string,
    names: readonly StoreNames['products'][],
    until: number,
  ) => Promise<boolean>;
}

/** Milliseconds for which no row of the store is accepted, if the renaming is not ended. */
const RENAMING_MS = 30_000;
/** Milliseconds within which the check for work must end. */
const RENAMED_WITHIN_MS = 10_000;
/** Milliseconds for which one call deletes listings, well within the timeout of an HTTP API. */
const DROP_FOR_MS = 12_000;

/**
 * Changes a store's names, while no work of it waits, and deletes the listings with the former name. If the time is not
 * enough, the store keeps `formerName`; repeating the call continues.
 *
 * @throws ConnectorError `STORE_BUSY` while work of the store waits or is in progress
 */
export async function changeNames(ports: ChangeNamesPorts, store: Store, wanted: GivenNames): Promise<void> {
  const { storeClientId } = store;
  const names = namesWith(store.names, wanted);
  const until = ports.clock.now() + DROP_FOR_MS;
  const isDropped = await dropFormer(ports, store, until);
  if (isDeepStrictEqual(names, store.names)) return;
  if (!isDropped || !(await ports.whileIdle(storeClientId, () => rename(ports, store, names)))) {
    const message = `work of store ${storeClientId} waits or is in progress: its names can't change`;
    throw new ConnectorError(message, { code: 'STORE_BUSY' });
  }
  const renamed = await ports.stores.get(storeClientId);
  if (renamed !== undefined) await dropFormer(ports, renamed, until);
}

/**
 * Sets `renamingUntil` in the store's record before it looks for work. The intake reads the record before and after it
 * writes rows, so it notices the renaming, or its rows are found here.
 */
async function rename(
  { stores, clock, hasWork }: ChangeNamesPorts,
  { storeClientId, names: { products } }: Store,
  names: StoreNames,
): Promise<boolean> {
  const now = clock.now();
  const until = now + RENAMING_MS;
  if (!(await stores.beginRenaming(storeClientId, { now, until }))) return false;
  const isBusy = await hasWork(storeClientId).catch(() => true);
  if (isBusy || clock.now() > now + RENAMED_WITHIN_MS) {
    await stores.endRenaming(storeClientId, until);
    return false;
  }
  const former = names.products === products ? {} : { formerName: products };
  return stores.endRenaming(storeClientId, until, { names, ...former });
}

async function dropFormer(
  { stores, dropListings }: ChangeNamesPorts,
  store: Store,
  until: number,
): Promise<boolean> {
  const { storeClientId, formerName } = store;
  if (formerName === undefined) return true;
  if (!(await dropListings(storeClientId, formerNamesOf(store), until))) return false;
  await stores.forgetFormerName(storeClientId, formerName);
  return true;
}
