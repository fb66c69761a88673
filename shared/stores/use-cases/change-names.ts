import { isDeepStrictEqual } from 'node:util';
import { ConnectorError } from '../../errors/connector-error.ts';
import type { Clock } from '../../time/clock.ts';
import type { Store, StoreNames } from '../model.ts';
import type { StoreTable } from '../ports.ts';
import { formerNamesOf, type GivenNames, namesWith } from '../rules/names.ts';

export interface ChangeNamesPorts {
  readonly stores: Pick<StoreTable, 'get' | 'beginRenaming' | 'endRenaming' | 'forgetFormerName'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether anything of the store waits, or is under way. */
  readonly hasWork: (storeClientId: string) => Promise<boolean>;
  /** Does `work` while nothing of the store's stock and price can leave; `undefined` where a sender holds the lane. */
  readonly whileIdle: <Result>(
    storeClientId: string,
    work: () => Promise<Result>,
  ) => Promise<Result | undefined>;
  /** Deletes the store's listings by these names until a time (epoch ms); returns whether none is left. */
  readonly dropListings: (
    storeClientId: string,
    names: readonly StoreNames['products'][],
    until: number,
  ) => Promise<boolean>;
}

/** Milliseconds for which no row of the store is taken unless the change ends before, and in which it must end. */
const RENAMING_MS = 30_000;
const RENAMED_WITHIN_MS = 10_000;
/** Milliseconds that one call goes on dropping listings, well within an HTTP API's limit. */
const DROP_FOR_MS = 12_000;

/**
 * Gives a store other names, which is possible only while nothing of it waits, and drops the listings by the
 * name that its products had before. What is left when the time is up shows as `formerName`; the same call again goes on.
 *
 * @throws ConnectorError `STORE_BUSY` while something of the store waits or is under way
 */
export async function changeNames(ports: ChangeNamesPorts, store: Store, wanted: GivenNames): Promise<void> {
  const { storeClientId } = store;
  const names = namesWith(store.names, wanted);
  const until = ports.clock.now() + DROP_FOR_MS;
  const isDropped = await dropFormer(ports, store, until);
  if (isDeepStrictEqual(names, store.names)) return;
  if (!isDropped || !(await ports.whileIdle(storeClientId, () => rename(ports, store, names)))) {
    const message = `something of ${storeClientId} waits or is under way: its names can not change`;
    throw new ConnectorError(message, { code: 'STORE_BUSY' });
  }
  const renamed = await ports.stores.get(storeClientId);
  if (renamed !== undefined) await dropFormer(ports, renamed, until);
}

/**
 * Marks in the store's record that its names may change, and looks for waiting work only after that. The intake reads the
 * record before and after it writes rows.
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
