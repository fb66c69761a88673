import { unbatched } from '../checks/batch-rejections.ts';
import { pendingRegisters } from '../checks/listing-view.ts';
import { checkAnnouncements } from '../checks/products/announcements.ts';
import { isAtRest } from '../checks/products/at-rest.ts';
import { checkCommandsEnd, isContradicted } from '../checks/products/commands-end.ts';
import { discardedCommands, notDoneOnceDiscarded } from '../checks/products/discarded.ts';
import { checkFileFaults } from '../checks/products/file-faults.ts';
import { checkLiveValues } from '../checks/products/live-values.ts';
import { checkLockClaims } from '../checks/products/lock-claims.ts';
import { checkLostAnswers } from '../checks/products/lost-answers.ts';
import { checkRetriesEnd } from '../checks/products/retries-end.ts';
import { accountsByTag } from '../checks/products/row-accounts.ts';
import { checkRowCommands } from '../checks/products/row-commands.ts';
import { isRetry } from '../checks/products/sent-rows.ts';
import type { Simulation } from '../engine/simulation.ts';
import {
  blockStore,
  contradictOften,
  dieOnceSplit,
  discardOnce,
  loseRequests,
  moveWarehouses,
  refuseAlways,
  refuseConnections,
  refuseForNow,
  retryOften,
} from '../world/products/disturbances.ts';
import type { PlannedProduct } from '../world/products/plan.ts';
import { ProductFunctions } from '../world/products/product-functions.ts';
import { ProductPartner } from '../world/products/product-partner.ts';
import { ProductWorld } from '../world/products/product-world.ts';

/** Duration of the faults, and the longest time after it until everything has ended; milliseconds. */
const TROUBLE_MS = 480_000;
const ENDED_WITHIN_MS = 2 * 3_600_000;
const LOOK_INTERVAL_MS = 10_000;

/**
 * Product commands (P2 – P4): creations by events and files, updates and deletions, given more than once; final summaries
 * that may not come, and the sweeper; price and stock before, with and after the products. Resolves when everything has
 * ended, or at the first violation.
 *
 * @returns the number of commands and events of the partner
 */
export function runProductCommands(simulation: Simulation): Promise<number> {
  return runWith(simulation, (world) => {
    refuseForNow(world);
    dieOnceSplit(world, TROUBLE_MS);
    loseRequests(world, TROUBLE_MS);
    refuseConnections(world, TROUBLE_MS);
    contradictOften(world, TROUBLE_MS);
    blockStore(world, TROUBLE_MS);
    discardOnce(world, TROUBLE_MS);
  });
}

/**
 * Product commands with an operator who retries failed rows of ended batches all the time, and a partner who deletes nothing: a
 * product that exists at a retry was then never deleted.
 *
 * @returns the number of commands and events of the partner
 */
export function runRetries(simulation: Simulation): Promise<number> {
  return runWith(
    simulation,
    (world, functions) => {
      refuseAlways(world);
      blockStore(world, TROUBLE_MS);
      retryOften(world, functions, 3 * TROUBLE_MS);
    },
    { deletes: false },
  );
}

async function runWith(
  simulation: Simulation,
  disturb: (world: ProductWorld, functions: ProductFunctions) => void,
  { deletes = true } = {},
): Promise<number> {
  const { scheduler, faults } = simulation;
  const world = new ProductWorld(simulation);
  const functions = new ProductFunctions(world);
  const partner = new ProductPartner(
    world,
    functions,
    (tag, since) => deletes && isSettled(world, tag, since),
  );
  const endOfTrouble = simulation.now + TROUBLE_MS;
  let isOver = false;

  partner.start(TROUBLE_MS);
  moveWarehouses(world);
  functions.startSchedules();
  disturb(world, functions);
  scheduler.after(TROUBLE_MS, () => {
    faults.stop();
    world.marketplace.gate.blocked.clear();
  });
  const look = () => {
    if (simulation.now > endOfTrouble) {
      resumeStores(world);
      isOver = hasEnded(world, functions);
      if (simulation.now > endOfTrouble + ENDED_WITHIN_MS) simulation.violate('P2: something waits for ever');
    }
    scheduler.after(LOOK_INTERVAL_MS, look);
  };
  scheduler.after(LOOK_INTERVAL_MS, look);

  await scheduler.run(() => isOver || simulation.violation !== undefined);
  if (simulation.violation === undefined) judge(world, functions.deadCommands());
  return partner.eventCount;
}

/** The seller has corrected the credentials, and an operator resumes the store. */
function resumeStores({ tables }: ProductWorld): void {
  for (const [storeClientId, store] of tables.stores) {
    if (store.state === 'suspended') tables.stores.set(storeClientId, { ...store, state: 'connected' });
  }
}

/** Whether a row has its outcome, and had it already at that time. */
function isSettled({ tables }: ProductWorld, tag: string, since: number): boolean {
  const [account] = accountsByTag(tables).get(tag) ?? [];
  if (account === undefined || !('batch' in account) || account.outcome === 'unknown') return false;
  const { completedAt } = account.batch;
  return completedAt !== undefined && Date.parse(completedAt) < since;
}

function hasEnded(world: ProductWorld, functions: ProductFunctions): boolean {
  const { tables } = world;
  return (
    isAtRest(world, functions) &&
    tables.listings.all().every((listing) => pendingRegisters(listing).length === 0) &&
    [...tables.stores.values()].every(({ state }) => state === 'connected')
  );
}

/** The checks once everything has ended. */
function judge(world: ProductWorld, dead: ReadonlySet<string>): void {
  const { simulation, tables, shelf, effects, newestWins, plan } = world;
  checkCommandsEnd(world, dead);
  checkFileFaults(world);
  checkRetriesEnd(world, dead);
  checkAnnouncements(simulation, tables, dead);
  checkRowCommands(simulation, tables);
  checkLiveValues(world);
  checkLockClaims(world);
  checkLostAnswers(world);
  const refused = unbatched(tables.rejections).map(({ commandId = '' }) => commandId);
  // These were no longer redelivered, or were discarded, and were never done.
  const undone = tables.batches
    .all()
    .filter(({ kind, rows }) => kind === 'product-update' && rows.accepted === 0)
    .map(({ commandId = '' }) => commandId)
    .filter((commandId) => !effects.updated.has(commandId));
  const rejected = [...refused, ...undone];
  const leftOut = new Set([...dead, ...discardedCommands(tables)]);
  effects.finish(shelf, new Set(rejected), leftOut);
  const exempt = new Set([
    ...plan.products.filter((product) => !isKnownToBeThere(world, product)).flatMap(unitsOf),
    ...offersOf(world, new Set([...leftOut, ...notDoneOnceDiscarded(world)])),
  ]);
  newestWins.finish(shelf.values, (place) => exempt.has(place.split(' ').slice(0, 2).join(' ')));
}

/**
 * The targets of price and stock in updates that ended in the dead-letter queue, or were discarded, and were not read back
 * as done: their values may be lost.
 */
function offersOf({ commands, tables }: ProductWorld, dead: ReadonlySet<string>): string[] {
  const done = new Set(
    tables.batches
      .all()
      .filter(({ kind, rows }) => kind === 'product-update' && rows.accepted > 0)
      .map(({ commandId }) => commandId),
  );
  return [...commands.values()].flatMap((command) => {
    const { commandId } = command;
    if (command.kind !== 'update' || !dead.has(commandId) || done.has(commandId)) return [];
    return command.offers.map(({ unit }) => `${command.store.storeClientId} ${unit}`);
  });
}

/** Whether a product exists, and the connector was not given a false summary alone, or one beside a refusal for now. */
function isKnownToBeThere(world: ProductWorld, { store, externalId }: PlannedProduct): boolean {
  const { shelf, tables, effects } = world;
  const { syncs } = world.marketplace;
  const product = shelf.byExternalId(store, externalId);
  if (product === undefined) return false;
  const maker = effects.madeBy.get(product.tag) ?? '';
  const [account] = accountsByTag(tables, isRetry(maker) ? maker : undefined).get(product.tag) ?? [];
  if (account === undefined) return true;
  const { batch, rowIndex } = account;
  const isTold = syncs.isTrulyDelivered(batch) && !syncs.isRefusedForNow(batch, { rowIndex, externalId });
  return isTold || !isContradicted(world, batch);
}

/** The parts of a product with their own price and stock, with the store. */
function unitsOf({ store, externalId, shape, skus }: PlannedProduct): string[] {
  return (shape === 'simple' ? [externalId] : skus).map((unit) => `${store.storeClientId} ${unit}`);
}
