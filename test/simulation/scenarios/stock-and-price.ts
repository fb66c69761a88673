import type { Listing, RegisterName } from '../../../shared/listings/model.ts';
import { checkBadRows, checkBatches, checkOutcomes, type Expectation } from '../checks/accounts.ts';
import { pendingRegisters } from '../checks/listing-view.ts';
import { checkReportedRows } from '../checks/reported-rows.ts';
import type { FaultKind } from '../engine/faults.ts';
import type { Simulation } from '../engine/simulation.ts';
import { drawSmallCatalog, FIRST_REFUSED_PRICE, findTarget, UNKNOWN_WAREHOUSE } from '../world/catalog.ts';
import { Functions } from '../world/functions.ts';
import { Operator } from '../world/operator.ts';
import { Partner } from '../world/partner.ts';
import { Recreations } from '../world/recreations.ts';
import { World } from '../world/world.ts';

/** Duration of the faults, and the longest time after it until everything has drained; milliseconds. */
const TROUBLE_MS = 240_000;
const DRAINED_WITHIN_MS = 2 * 3_600_000;
const LOOK_INTERVAL_MS = 5_000;

/** Share of seeds in which most rows are refused temporarily again and again, so that backoffs grow long. */
const BUSY_SEEDS = 0.2;
const BUSY_ROWS = 0.8;
/** In such seeds: part of the stock by warehouse that also names one that the store does not have. */
const MISPLACED_WHEN_BUSY = 0.6;

/** Share of slow operations in seeds in which they are frequent. */
const OFTEN_SLOW = 0.5;

/** Share of seeds with clocks that differ by nearly the second that the connector allows for. */
const WRONG_CLOCKS = 0.5;
const LARGE_SKEW_MS = 450;

const TAKEOVER_FAULTS: readonly (readonly [FaultKind, number])[] = [
  ['frozen before a row is settled', 0.5],
  ['connection cut after the effect', 0.3],
  ['connection cut before the effect', 0.1],
  ['request lands late', 0.3],
  ['message delivered twice', 0.6],
  ['message delayed', 0.6],
];

/**
 * Stock and price on the hot path: events with competing versions from several producers, through intake, lanes and waker
 * to the marketplace, under every fault. Resolves when everything has drained, or at the first violation.
 *
 * @returns the number of events of the partner
 */
export function runStockAndPrice(simulation: Simulation): Promise<number> {
  const { faults, random } = simulation;
  if (random.chance(0.3)) faults.force('request refused without a bad row', 0.2 * random.next());
  const isBusy = random.chance(BUSY_SEEDS);
  if (isBusy) faults.force('row refused temporarily', BUSY_ROWS);
  if (random.chance(0.3)) faults.force('row answered too late', 0.3 * random.next());
  if (random.chance(0.3)) faults.force('a part of a batch is left undone', 0.5 * random.next());
  const misplaced = isBusy ? MISPLACED_WHEN_BUSY : undefined;
  return runWorld(new World(simulation), { events: random.integer(5, 40), misplaced });
}

/**
 * Stock and price of one target whose lane is taken over all the time: holders freeze before they record outcomes, requests get
 * lost or land late, and the next holders continue from there.
 *
 * @returns the number of events of the partner
 */
export function runTakeovers(simulation: Simulation): Promise<number> {
  const { faults, random } = simulation;
  for (const [kind, rate] of TAKEOVER_FAULTS) faults.force(kind, rate);
  // A listing may then move to another page between two reads.
  if (random.chance(0.6)) faults.force('operation is slow', OFTEN_SLOW);
  return runWorld(new World(simulation, drawSmallCatalog(random)), { events: random.integer(3, 16) });
}

interface WorldRun {
  /** Events of the partner during the run. */
  readonly events: number;
  readonly misplaced?: number | undefined;
  /** What is so when the run begins, or happens beside it. */
  readonly prepare?: (partner: Partner, functions: Functions) => void;
}

/** @returns the number of events of the partner */
export async function runWorld(world: World, { events, misplaced, prepare }: WorldRun): Promise<number> {
  const { simulation } = world;
  const { random, scheduler, faults } = simulation;
  if (random.chance(WRONG_CLOCKS)) simulation.maxSkewMs = LARGE_SKEW_MS;
  const functions = new Functions(world);
  const partner = new Partner(world, functions.changes, { misplaced });
  const operator = new Operator(world, functions);
  const recreations = new Recreations(world, functions);
  const endOfTrouble = simulation.now + TROUBLE_MS;
  let isOver = false;

  prepare?.(partner, functions);
  partner.start(events, random.integer(1_000, TROUBLE_MS - 30_000));
  functions.startSchedule();
  troubleMarketplace(world);
  recreations.plan(TROUBLE_MS);
  scheduler.after(TROUBLE_MS, () => {
    faults.stop();
    healMarketplace(world);
  });
  const look = () => {
    operator.look();
    if (simulation.now > endOfTrouble) {
      isOver = recreations.areKnown && hasDrained(world, functions);
      if (simulation.now > endOfTrouble + DRAINED_WITHIN_MS)
        simulation.violate('P2: something waits for ever');
    }
    scheduler.after(LOOK_INTERVAL_MS, look);
  };
  scheduler.after(LOOK_INTERVAL_MS, look);

  await scheduler.run(() => isOver || simulation.violation !== undefined);
  if (simulation.violation === undefined) judge(world);
  return partner.eventCount;
}

/** Lasting faults: a wrong clock, a rotated secret, a store that is refused for a while. */
function troubleMarketplace({ simulation, marketplace: { gate }, secret, stores }: World): void {
  const { random, scheduler } = simulation;
  if (random.chance(0.15)) gate.clockOffsetMs = random.pick([-1, 1]) * random.integer(310_000, 900_000);
  if (random.chance(0.2)) {
    const rotatedAt = random.integer(10_000, TROUBLE_MS);
    scheduler.after(rotatedAt, () => {
      gate.secretKey = 'secret-2';
    });
    const knownAt = rotatedAt + random.pick([-1, 1]) * random.integer(0, 10_000);
    scheduler.after(knownAt, () => {
      secret.value = 'secret-2';
    });
  }
  if (random.chance(0.3)) {
    const { storeClientId } = random.pick(stores);
    const blockedAt = random.integer(0, TROUBLE_MS / 2);
    scheduler.after(blockedAt, () => gate.blocked.add(storeClientId));
    scheduler.after(blockedAt + random.integer(0, TROUBLE_MS), () => gate.blocked.delete(storeClientId));
  }
}

function healMarketplace({ marketplace: { gate }, secret }: World): void {
  gate.blocked.clear();
  secret.value = gate.secretKey;
}

export function hasDrained({ tables, network, simulation }: World, functions: Functions): boolean {
  return (
    functions.isIdle &&
    tables.listings.all().every((listing) => pendingRegisters(listing).length === 0) &&
    [...tables.stores.values()].every(({ state }) => state === 'connected') &&
    tables.stores.isPublished &&
    network.exchanges.every(({ mayLandUntil }) => mayLandUntil < simulation.now)
  );
}

/** The checks once everything has drained. */
function judge(world: World): void {
  const { simulation, tables, newestWins, marketplace, answeredBatches } = world;
  const listings = tables.listings.all();
  newestWins.finish(marketplace.values, (place) => {
    const [storeClientId = '', target = '', value = ''] = place.split(' ');
    const name = `${storeClientId} ${target}`;
    const isStock = value.startsWith('stock');
    if (value.endsWith(UNKNOWN_WAREHOUSE)) return true;
    const listing = listings.find((one) => one.storeClientId === storeClientId && one.target === target);
    const isDropped = isDiscarded(listing, value) || mayBeRefusedAlong(listing, value);
    const newestPrice = newestWins.newest(`${storeClientId} ${target} price`)?.value;
    return isRefused(world, name, isStock, newestPrice) || (!isStock && isDropped);
  });
  checkOutcomes(simulation, listings, (listing, register) => expectedOutcome(world, listing, register));
  checkBadRows(simulation, world.badRows, tables.rejections.values());
  checkBatches(simulation, tables.batches.all(), answeredBatches);
  checkReportedRows(simulation, tables.batches.all(), tables.events);
  tables.stores.checkPublished(simulation, tables.events);
}

/** Whether the marketplace refuses a target's stock, or a row with this price. `name`: store and target. */
export function isRefused(
  { stores }: World,
  name: string,
  isStock: boolean,
  price: number | null = 0,
): boolean {
  const [storeClientId, named = ''] = name.split(' ');
  const store = stores.find((one) => one.storeClientId === storeClientId);
  const product = store && findTarget(store, named);
  return product?.nature !== 'ordinary' || (!isStock && (price ?? 0) >= FIRST_REFUSED_PRICE);
}

/** Whether an operator discarded the newest value. */
function isDiscarded(listing: Listing | undefined, register: string): boolean {
  return listing?.settled[register as RegisterName]?.code === 'DISCARDED';
}

/** Whether a special price was refused only beside an earlier price, and the next one was discarded. */
function mayBeRefusedAlong(listing: Listing | undefined, register: string): boolean {
  return register === 'specialPrice' && isDiscarded(listing, 'price');
}

function expectedOutcome(world: World, listing: Listing, register: RegisterName): Expectation {
  const { storeClientId, target, desired } = listing;
  if (isDiscarded(listing, register)) return 'rejected';
  if (mayBeRefusedAlong(listing, register)) return 'either';
  if (register.endsWith(UNKNOWN_WAREHOUSE)) return 'rejected';
  const isStock = register.startsWith('stock');
  if (!isRefused(world, `${storeClientId} ${target}`, isStock, desired.price?.value)) return 'accepted';
  // A global stock that every warehouse replaces with its own is settled without a row.
  const isGlobalBesideOwn =
    register === 'stock' && Object.keys(desired).some((name) => name.startsWith('stock:'));
  // A special price may have been accepted beside an earlier price and refused beside the newest.
  const isOlderSpecial =
    register === 'specialPrice' && desired.specialPrice?.version !== desired.price?.version;
  return isGlobalBesideOwn || isOlderSpecial ? 'either' : 'rejected';
}
