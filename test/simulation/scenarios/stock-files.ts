import { pendingRegisters } from '../checks/listing-view.ts';
import { checkFileFaults } from '../checks/products/file-faults.ts';
import { FollowedRowChecks } from '../checks/products/followed-rows.ts';
import { FullFileChecks } from '../checks/products/full-files.ts';
import type { Simulation } from '../engine/simulation.ts';
import { ProductFunctions } from '../world/products/product-functions.ts';
import { ProductWorld } from '../world/products/product-world.ts';
import { StockFilePartner } from '../world/products/stock-file-partner.ts';

/** Duration of the faults, and the longest time after it until everything has ended; milliseconds. */
const TROUBLE_MS = 240_000;
const ENDED_WITHIN_MS = 2 * 3_600_000;
const LOOK_INTERVAL_MS = 10_000;
/** Share of seeds in which many operations fail, and up to which part of them. */
const FAILING_SEEDS = 0.3;
const MOST_FAILURES = 0.3;
/** Share of the looks with a read of live products, which writes what it showed into their listings. */
const READS = 0.5;

/**
 * Files of stock, some under `full/`, while events pass (P1, P2). Held files are released or discarded. Resolves when
 * everything has ended, or at the first violation.
 *
 * @returns the number of events and files of the partner
 */
export async function runStockFiles(simulation: Simulation): Promise<number> {
  const { scheduler, faults, random } = simulation;
  if (random.chance(FAILING_SEEDS))
    faults.force('operation fails before its effect', MOST_FAILURES * random.next());
  const world = new ProductWorld(simulation);
  const functions = new ProductFunctions(world);
  const checks = new FullFileChecks(world);
  const followed = new FollowedRowChecks(world);
  const partner = new StockFilePartner(world, functions, { full: checks, followed });
  const { changes } = functions.listings;
  const send = changes.send.bind(changes);
  changes.send = (body, delayMs) => {
    checks.onChange(body);
    send(body, delayMs);
  };
  const endOfTrouble = simulation.now + TROUBLE_MS;
  let isOver = false;

  // Often so early that the work on the files ends amid faults.
  partner.start(random.pick([TROUBLE_MS, TROUBLE_MS / 3]));
  functions.startSchedules();
  scheduler.after(TROUBLE_MS, () => faults.stop());
  const look = () => {
    if (random.chance(READS)) functions.readProducts(random.pick(world.plan.stores).storeClientId);
    for (const { importId, key, full } of world.tables.imports.all()) {
      if (full?.state !== 'held' || random.chance(0.5)) continue;
      const what = random.pick(['release', 'discard'] as const);
      if (what === 'release') checks.onReleased(key);
      functions.endHold(importId, what);
    }
    if (simulation.now > endOfTrouble) {
      isOver = hasEnded(world, functions);
      if (simulation.now > endOfTrouble + ENDED_WITHIN_MS) simulation.violate('P2: something waits for ever');
    }
    scheduler.after(LOOK_INTERVAL_MS, look);
  };
  scheduler.after(LOOK_INTERVAL_MS, look);

  await scheduler.run(() => isOver || simulation.violation !== undefined);
  if (simulation.violation === undefined) {
    checks.finish();
    followed.finish();
    checkFileFaults(world);
    world.newestWins.finish(world.shelf.values, () => false);
  }
  return partner.eventCount;
}

function hasEnded({ tables, network, simulation }: ProductWorld, functions: ProductFunctions): boolean {
  return (
    functions.isIdle &&
    tables.imports
      .all()
      .every(
        ({ reading, full }) =>
          reading !== undefined && (full === undefined || ['ended', 'discarded'].includes(full.state)),
      ) &&
    tables.listings.all().every((listing) => pendingRegisters(listing).length === 0) &&
    network.exchanges.every(({ mayLandUntil }) => mayLandUntil < simulation.now)
  );
}
