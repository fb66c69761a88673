import { endRestore } from '../../../shared/limits/end-restore.ts';
import { freshLimit } from '../../../shared/limits/model.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import type { Simulation } from '../engine/simulation.ts';
import { limitIdsOf } from '../world/caller.ts';
import { drawSmallCatalog, FIRST_REFUSED_PRICE, UNKNOWN_WAREHOUSE } from '../world/catalog.ts';
import type { Functions } from '../world/functions.ts';
import type { Partner } from '../world/partner.ts';
import { World } from '../world/world.ts';
import { runWorld } from './stock-and-price.ts';

const RESTORED = 'Restored1';
/** The tables of an earlier restore. It has ended. */
const EARLIER = 'Restored0';
/** Part of the past events that the tables have. */
const KNOWN = 0.5;
/** Milliseconds within which the tables take these, and after which all are replayed. */
const KNOWN_WITHIN_MS = 5_000;
const REPLAYED_AFTER_MS = [20_000, 120_000] as const;
const LOOK_INTERVAL_MS = 5_000;
const OPERATION_TIMEOUT_MS = 30_000;
const [FIRST_LIMIT = ''] = limitIdsOf(1);

/**
 * The tables of one target are restored ones: its waiting values are older than those that the marketplace has. All that came in
 * is replayed, and then an operator ends the restore. Nothing older may land meanwhile (P1).
 *
 * @returns the number of events of the partner
 */
export function runRestores(simulation: Simulation): Promise<number> {
  const { random } = simulation;
  const world = new World(simulation, drawSmallCatalog(random), { restoredTables: RESTORED });
  world.tables.limits.set(FIRST_LIMIT, { ...freshLimit(FIRST_LIMIT), resumedTables: EARLIER });
  return runWorld(world, {
    events: random.integer(0, 6),
    prepare: (partner, functions) => {
      const past = partner.past(random.integer(3, 12));
      showNewest(world);
      for (const event of past) {
        if (random.chance(KNOWN))
          simulation.scheduler.after(random.integer(0, KNOWN_WITHIN_MS), () => partner.send(event));
      }
      simulation.scheduler.after(random.integer(...REPLAYED_AFTER_MS), () =>
        replay(world, { partner, functions, past }),
      );
    },
  });
}

/** The marketplace has the newest values of the past. */
function showNewest({ newestWins, marketplace }: World): void {
  for (const { place, value } of newestWins.newestOfAll()) {
    if (place.endsWith(UNKNOWN_WAREHOUSE) || (value ?? 0) >= FIRST_REFUSED_PRICE) continue;
    marketplace.values.set(place, value);
    marketplace.accepted.set(place, value);
    newestWins.onApplied(place, value);
  }
}

interface Replay {
  readonly partner: Partner;
  readonly functions: Functions;
  readonly past: readonly object[];
}

/** Sends all past events again, and ends the restore once they are merged. */
function replay({ simulation, tables }: World, { partner, functions, past }: Replay): void {
  const { random, scheduler } = simulation;
  for (const event of random.shuffle(past)) partner.send(event);
  const look = () => {
    if (tables.limits.get(FIRST_LIMIT)?.resumedTables === RESTORED) return;
    if (functions.changes.isEmpty)
      functions.start({ name: 'operator', timeoutMs: OPERATION_TIMEOUT_MS }, ({ step }) =>
        endRestore(inMemoryLimitTable(step, tables.limits), FIRST_LIMIT, RESTORED),
      );
    scheduler.after(LOOK_INTERVAL_MS, look);
  };
  scheduler.after(LOOK_INTERVAL_MS, look);
}
