import { type BatchRecord, creationOf } from '../../../../shared/batches/model.ts';
import type { PlannedStore } from './plan.ts';
import type { ProductFunctions } from './product-functions.ts';
import { CREATIONS_WITHIN_MS } from './product-partner.ts';
import type { ProductWorld } from './product-world.ts';

/** Milliseconds. */
const WAREHOUSES_MOVE_MS = 180_000;
/** Probabilities of faults. */
const OFTEN_REFUSED = 0.3;
const OFTEN_LATE = 0.3;
const MOSTLY_LATE = 0.9;
const OFTEN_CUT = 0.4;
const OFTEN_LOST = 0.9;
const OFTEN_CLOSED = 0.6;
const SOMETIMES_CUT = 0.3;
const OFTEN_CONTRADICTED = 0.7;

/** Rows that are refused temporarily, and created by another try that lands late. */
export function refuseForNow({ simulation: { faults, random } }: ProductWorld): void {
  if (!random.chance(0.3)) return;
  faults.force('row refused temporarily', OFTEN_REFUSED);
  faults.force('request lands late', OFTEN_LATE);
}

/** Rows that are refused temporarily all the time, and final summaries that come very late. */
export function refuseAlways({ simulation: { faults, random } }: ProductWorld): void {
  faults.force('row refused temporarily', OFTEN_REFUSED);
  if (random.chance(0.3)) faults.force('summary comes very late', OFTEN_LATE);
}

/** From some time on most requests are lost, so that the outcomes of several updates of one product are unknown. */
export function loseRequests(
  { simulation: { faults, random, scheduler } }: ProductWorld,
  withinMs: number,
): void {
  if (!random.chance(0.3)) return;
  const lostFrom = random.integer(0, withinMs);
  scheduler.after(lostFrom, () => faults.force('connection cut before the effect', OFTEN_LOST));
}

/** From some time on most connections are refused, and some are cut: a read may fail otherwise than the request after it. */
export function refuseConnections(
  { simulation: { faults, random, scheduler } }: ProductWorld,
  withinMs: number,
): void {
  if (!random.chance(0.3)) return;
  scheduler.after(random.integer(0, withinMs), () => {
    faults.force('connection refused', OFTEN_CLOSED);
    faults.force('connection cut before the effect', SOMETIMES_CUT);
  });
}

/**
 * False summaries, many of them before the true ones. In some seeds the store is refused for a while and the true summaries come
 * late: by then a batch counts as unresolved.
 */
export function contradictOften(world: ProductWorld, withinMs: number): void {
  const { faults, random } = world.simulation;
  if (!random.chance(0.2)) return;
  faults.force('summary contradicts', OFTEN_CONTRADICTED);
  if (!random.chance(0.5)) return;
  faults.force('summary comes very late', MOSTLY_LATE);
  block(world, { fromMs: random.integer(0, CREATIONS_WITHIN_MS), forMs: withinMs });
}

/**
 * Functions that are killed while they split a request, often one whose earlier try may have had an effect: a warehouse that was
 * there at that try is removed before the next one, which is refused as a whole.
 */
export function dieOnceSplit(world: ProductWorld, withinMs: number): void {
  const { faults, random } = world.simulation;
  if (!random.chance(0.3)) return;
  faults.force('crash once a request is split', 1);
  faults.force('connection cut after the effect', OFTEN_CUT);
  for (const store of world.plan.stores.filter(({ movesStock }) => movesStock))
    for (let afterMs = 0; afterMs < withinMs; afterMs += random.integer(500, 4_000))
      moveWarehouse(world, store, afterMs);
}

/** Warehouses that are added and removed, often while products with stock in them are created. */
export function moveWarehouses(world: ProductWorld): void {
  const { random } = world.simulation;
  for (const store of world.plan.stores.filter(({ movesStock }) => movesStock)) {
    if (random.chance(0.5)) world.marketplace.passing.add(store);
    for (let times = random.integer(1, 10); times > 0; times -= 1)
      moveWarehouse(world, store, random.integer(0, WAREHOUSES_MOVE_MS));
  }
}

/** Adds the store's passing warehouse, or removes it. */
function moveWarehouse(
  { simulation, marketplace: { passing } }: ProductWorld,
  store: PlannedStore,
  afterMs: number,
): void {
  simulation.scheduler.after(afterMs, () => {
    if (!passing.delete(store)) passing.add(store);
    simulation.note(store.storeClientId, () => `has its passing warehouse: ${passing.has(store)}`);
  });
}

/** A store that is refused for a while: its commands wait, and its batches can't be read back. */
export function blockStore(world: ProductWorld, withinMs: number): void {
  const { random } = world.simulation;
  if (!random.chance(0.25)) return;
  block(world, { fromMs: random.integer(0, withinMs / 2), forMs: random.integer(0, withinMs) });
}

function block(
  { simulation: { random, scheduler }, marketplace: { gate }, plan }: ProductWorld,
  { fromMs, forMs }: { readonly fromMs: number; readonly forMs: number },
): void {
  const { storeClientId } = random.pick(plan.stores);
  scheduler.after(fromMs, () => gate.blocked.add(storeClientId));
  scheduler.after(fromMs + forMs, () => gate.blocked.delete(storeClientId));
}

/** An operator discards the waiting work of a store. */
export function discardOnce({ simulation, tables, plan }: ProductWorld, withinMs: number): void {
  const { random, scheduler } = simulation;
  if (!random.chance(0.2)) return;
  const { storeClientId } = random.pick(plan.stores);
  scheduler.after(random.integer(0, withinMs), () => {
    const store = tables.stores.get(storeClientId);
    if (store === undefined) return;
    simulation.note('operator', () => `discards what waits for ${storeClientId}`);
    tables.stores.set(storeClientId, { ...store, discardedAt: new Date(simulation.now).toISOString() });
  });
}

/** An operator retries failed rows of any ended batch, sometimes the same ones more than once. */
export function retryOften(
  { simulation, tables }: ProductWorld,
  functions: ProductFunctions,
  withinMs: number,
): void {
  const { random, scheduler } = simulation;
  for (let times = random.integer(1, 20); times > 0; times -= 1) {
    scheduler.after(random.integer(0, withinMs), () => {
      const ended = tables.batches.all().filter(hasFailedRows);
      if (ended.length === 0) return;
      const { batchId } = random.pick(ended);
      const scope = random.pick(['retryable', 'failed'] as const);
      functions.retry(batchId, scope);
      if (!random.chance(0.5)) return;
      const laterMs = random.pick([0, random.integer(0, withinMs)]);
      scheduler.after(laterMs, () => functions.retry(batchId, scope));
    });
  }
}

function hasFailedRows({ kind, completedAt, rows }: BatchRecord): boolean {
  return creationOf(kind) !== undefined && completedAt !== undefined && rows.accepted < rows.sent;
}
