import type { RegisterName } from '../../../shared/listings/model.ts';
import { DriftChecks } from '../checks/drift.ts';
import type { Simulation } from '../engine/simulation.ts';
import { drawCatalog, renameProducts } from '../world/catalog.ts';
import { Drifts } from '../world/drift/drifts.ts';
import { LiveCatalog, MOST_LAG_MS } from '../world/drift/live-catalog.ts';
import { Persons } from '../world/drift/persons.ts';
import { Verifier } from '../world/drift/verifier.ts';
import { Functions } from '../world/functions.ts';
import { Operator } from '../world/operator.ts';
import { Partner } from '../world/partner.ts';
import { World } from '../world/world.ts';
import { hasDrained, isRefused } from './stock-and-price.ts';

/** Milliseconds. */
const TROUBLE_MS = 600_000;
const DRAINED_WITHIN_MS = 2 * 3_600_000;
const LOOK_INTERVAL_MS = 5_000;
const REPAIRED_WITHIN_MS = 4 * 3_600_000;
/** Cycles within which all is found and repaired, also what is fought for, and for a second time. */
const MOST_CYCLES = 16;
/** A cycle may miss a product that moves from page to page. */
const MOST_CYCLES_UNSORTED = 80;

/** Share of seeds without mistakes of the marketplace and without edits by others. */
const HONEST_SEEDS = 0.25;
const FOUGHT_SEEDS = 0.3;
const MOST_CRASHES = 0.1;
const STORES_BY_EXTERNAL_ID = 0.3;
/** Share of the contests that a person ends once, and that begin again. */
const REPAIRED_CONTESTS = 0.3;
/** Share of the stores whose drift is not repaired. */
const UNREPAIRED_STORES = 0.2;

/**
 * The listing-verifier beside the hot path: a marketplace that takes values without effect or loses them, others who change
 * and remove products, and one who does so again and again. Changes of the partner pass meanwhile, under every fault; stores
 * are renamed and disconnected, and persons repair and reconcile.
 *
 * @returns the number of events of the partner
 */
export async function runDrift(simulation: Simulation): Promise<number> {
  const { random, faults, scheduler } = simulation;
  const stores = drawCatalog(random);
  for (const store of stores) if (random.chance(STORES_BY_EXTERNAL_ID)) renameProducts(store, 'externalId');
  const live = new LiveCatalog(simulation, stores);
  const world = new World(simulation, stores, {}, live);
  const functions = new Functions(world);
  // Such a row in flight is one of the store's when the store is renamed before it is taken.
  const partner = new Partner(world, functions.changes, { misnamed: 0, misplaced: 0 });
  const verifier = new Verifier(world, functions, (finding) => checks.onPublished(finding));
  const drifts = new Drifts(world, live);
  const checks: DriftChecks = new DriftChecks(world, live, verifier);
  const persons = new Persons(world, functions, verifier);
  const operator = new Operator(world, functions);
  const isHonest = random.chance(HONEST_SEEDS);
  setStores(world);
  if (!isHonest) {
    faults.force('row accepted without effect', 0.5 * random.next());
    faults.force('finding is not published', 0.5 * random.next());
    // A run makes few operations: the usual rate would hardly ever end one between two given steps.
    faults.force('crash after an operation', MOST_CRASHES * random.next());
    drifts.plan(TROUBLE_MS);
  }
  partner.start(random.integer(5, 30), random.integer(1_000, TROUBLE_MS - 30_000));
  functions.startSchedule();
  verifier.start(TROUBLE_MS);
  persons.plan(TROUBLE_MS);
  live.startOthers(TROUBLE_MS);
  world.tables.stores.onRenamed = (storeClientId, names) => {
    world.newestWins.onRenamed(storeClientId);
    live.rename(storeClientId, names);
  };
  scheduler.after(TROUBLE_MS, () => faults.stop());
  const endOfTrouble = simulation.now + TROUBLE_MS;
  /** Starts of the whole cycles since the end of the trouble, by store. */
  const cycles = new Map(stores.map(({ storeClientId }) => [storeClientId, new Set<string>()]));
  let isToBeEnded = random.chance(REPAIRED_CONTESTS);
  let isOver = false;
  const look = () => {
    const { now } = simulation;
    operator.look();
    if (now > endOfTrouble && checks.quietAt > now && persons.areDone && hasDrained(world, functions)) {
      checks.quietAt = now;
      if (!isHonest) injectAtLast(simulation, drifts, checks);
    }
    if (checks.quietAt <= now) {
      const { fought } = checks;
      if (isToBeEnded && fought !== undefined && checks.isContested(fought)) {
        isToBeEnded = false;
        checks.endedContests += 1;
        persons.repair(fought.storeClientId);
      }
      const since = checks.quietAt + verifier.settings.graceMs + MOST_LAG_MS;
      for (const [storeClientId, starts] of cycles) {
        const { last } = verifier.verifications.read(storeClientId)?.value ?? {};
        if (last === undefined || Date.parse(last.startedAt) < since || starts.has(last.startedAt)) continue;
        starts.add(last.startedAt);
        if (starts.size === 1) checks.checkFound(storeClientId);
        if (starts.size === 2) checks.checkMissed(storeClientId);
      }
      const isVerified = [...cycles.values()].every((starts) => starts.size >= 2);
      isOver = isVerified && hasDrained(world, functions) && checks.isRepaired;
      const mostCycles = live.isUnsorted ? MOST_CYCLES_UNSORTED : MOST_CYCLES;
      if (now > since + mostCycles * verifier.settings.cycleMs + REPAIRED_WITHIN_MS)
        simulation.violate(`the verifier does not end: ${checks.describeOpen()}`);
    } else if (now > endOfTrouble + DRAINED_WITHIN_MS) simulation.violate('P2: something waits for ever');
    scheduler.after(LOOK_INTERVAL_MS, look);
  };
  scheduler.after(LOOK_INTERVAL_MS, look);
  await scheduler.run(() => isOver || simulation.violation !== undefined);
  if (simulation.violation === undefined) judge(world, live, checks, isHonest);
  return partner.eventCount;
}

/** No guard, which would need an operator; some stores are not repaired. */
function setStores({ simulation, stores, tables }: World): void {
  for (const { storeClientId } of stores) {
    tables.guards.delete(storeClientId);
    const store = tables.stores.get(storeClientId);
    if (store && simulation.random.chance(UNREPAIRED_STORES)) {
      tables.stores.set(storeClientId, { ...store, repair: false });
    }
  }
}

/** The drift that is still there when the partner has no more changes. */
function injectAtLast({ random }: Simulation, drifts: Drifts, checks: DriftChecks): void {
  const differing = checks.differing();
  for (let count = random.integer(0, 5); count > 0; count -= 1) {
    const injected = drifts.inject();
    if (injected !== undefined) checks.mustFind(injected, differing);
  }
  if (random.chance(FOUGHT_SEEDS)) checks.fought = drifts.fight();
}

function judge(world: World, live: LiveCatalog, checks: DriftChecks, isHonest: boolean): void {
  if (isHonest) checks.checkHonest();
  checks.finish();
  world.newestWins.finish(live.values, (place) => {
    const [storeClientId = '', target = '', value = ''] = place.split(' ');
    const name = `${storeClientId} ${target}`;
    const isStock = value.startsWith('stock');
    const newestPrice = world.newestWins.newest(`${name} price`)?.value;
    const registers: RegisterName[] = isStock
      ? ['stock', `stock:${value.slice('stock@'.length)}`]
      : [value as RegisterName];
    const isLeft = registers.some((register) => checks.isLeftAlone(storeClientId, target, register));
    return isLeft || isRefused(world, name, isStock, newestPrice);
  });
}
