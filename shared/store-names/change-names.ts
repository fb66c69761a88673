import { isDeepStrictEqual } from 'node:util';
import { ConnectorError } from '../errors/connector-error.ts';
import type { LaneTable, TicketQueue } from '../lanes/ports.ts';
import type { ListingTable } from '../listings/ports.ts';
import type { Store, StoreNames } from '../stores/model.ts';
import type { StoreTable } from '../stores/ports.ts';
import { formerNamesOf, type GivenNames, namesWith } from '../stores/rules/names.ts';
import type { Clock } from '../time/clock.ts';
import type { EpochMs } from '../time/times.ts';

export interface ChangeNamesPorts {
  readonly lanes: Pick<LaneTable, 'acquire' | 'release'>;
  readonly tickets: TicketQueue;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  readonly stores: Pick<StoreTable, 'get' | 'beginRenaming' | 'endRenaming' | 'forgetFormerName'>;
  readonly listings: Pick<ListingTable, 'nextDue' | 'drop'>;
  /** Whether any command of the store is in progress. */
  readonly hasCommands: (storeClientId: string) => Promise<boolean>;
}

/**
 * Time for which the lane is held, and for which no row of the store is accepted, if the work does not end. The function that does it
 * is over by then, by any function's clock.
 */
export const HELD_FOR_MS = 30_000;
/** Time for which one call deletes listings, well within the timeout of an HTTP API. */
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
  if (!isDropped || !(await whileIdle(ports, storeClientId, () => rename(ports, store, names)))) {
    const message = `work of store ${storeClientId} waits or is in progress: its names can't change`;
    throw new ConnectorError(message, { code: 'STORE_BUSY' });
  }
  const renamed = await ports.stores.get(storeClientId);
  if (renamed !== undefined) await dropFormer(ports, renamed, until);
}

/** Does `work` while it has the lease of a store's lane, so that the lane sends nothing. `undefined` if another has the lease. */
export async function whileIdle<Result>(
  { lanes, tickets, clock, newId }: Pick<ChangeNamesPorts, 'lanes' | 'tickets' | 'clock' | 'newId'>,
  storeClientId: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const leaseId = newId();
  const now = clock.now();
  if (!(await lanes.acquire(storeClientId, { leaseId, now, until: now + HELD_FOR_MS }))) return undefined;
  try {
    return await work();
  } finally {
    await lanes.release(storeClientId, { leaseId });
    // The tickets that came meanwhile found the lease taken.
    await tickets.send([{ storeClientId }]);
  }
}

/**
 * Sets `renamingUntil` in the store's record before it looks for work. The intake reads the record before and after it
 * writes rows, so it notices the renaming, or its rows are found here.
 */
async function rename(
  { stores, listings, clock, hasCommands }: ChangeNamesPorts,
  { storeClientId, names: { products } }: Store,
  names: StoreNames,
): Promise<boolean> {
  const now = clock.now();
  const until = now + HELD_FOR_MS;
  if (!(await stores.beginRenaming(storeClientId, { now, until }))) return false;
  let isIdle = false;
  try {
    isIdle = (await listings.nextDue(storeClientId)) === undefined && !(await hasCommands(storeClientId));
  } finally {
    if (!isIdle) await stores.endRenaming(storeClientId, until);
  }
  const former = names.products === products ? {} : { formerName: products };
  return isIdle && stores.endRenaming(storeClientId, until, { names, ...former });
}

async function dropFormer(
  { stores, listings }: ChangeNamesPorts,
  store: Store,
  until: EpochMs,
): Promise<boolean> {
  const { storeClientId, formerName } = store;
  if (formerName === undefined) return true;
  if (!(await listings.drop(storeClientId, formerNamesOf(store), until))) return false;
  await stores.forgetFormerName(storeClientId, formerName);
  return true;
}
