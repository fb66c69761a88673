import { pendingRegisters } from '../checks/listing-view.ts';
import { isAtRest } from '../checks/products/at-rest.ts';
import { checkCommandsEnd } from '../checks/products/commands-end.ts';
import type { Simulation } from '../engine/simulation.ts';
import { drawRenamingPlan } from '../world/products/plan.ts';
import { ProductFunctions } from '../world/products/product-functions.ts';
import { ProductWorld } from '../world/products/product-world.ts';
import { RenamingPartner } from '../world/products/renaming-partner.ts';

/** Duration of the faults, and the longest time after it until everything has ended; milliseconds. */
const TROUBLE_MS = 900_000;
const ENDED_WITHIN_MS = 2 * 3_600_000;
const LOOK_INTERVAL_MS = 5_000;

/**
 * Products that updates rename, and others that are created under the former names, while prices and stock pass (P1, P2): each
 * value reaches the product that had the name at the value's version, and no other. Resolves when everything has ended, or at
 * the first violation.
 *
 * @returns the number of commands and events of the partner
 */
export async function runRenames(simulation: Simulation): Promise<number> {
  const { scheduler, faults, random } = simulation;
  const world = new ProductWorld(simulation, drawRenamingPlan);
  const functions = new ProductFunctions(world);
  const partner = new RenamingPartner(world, functions);
  const endOfTrouble = simulation.now + TROUBLE_MS;
  let isOver = false;

  partner.start(TROUBLE_MS);
  functions.startSchedules();
  scheduler.after(TROUBLE_MS, () => faults.stop());
  const look = () => {
    const isResting = isAtRest(world, functions);
    if (simulation.now < endOfTrouble) {
      if (isResting && random.chance(0.5)) partner.act();
    } else {
      isOver = isResting && world.tables.listings.all().every((one) => pendingRegisters(one).length === 0);
      if (simulation.now > endOfTrouble + ENDED_WITHIN_MS) simulation.violate('P2: something waits for ever');
    }
    scheduler.after(LOOK_INTERVAL_MS, look);
  };
  scheduler.after(LOOK_INTERVAL_MS, look);

  await scheduler.run(() => isOver || simulation.violation !== undefined);
  if (simulation.violation === undefined) judge(world, partner, functions.deadCommands());
  return partner.eventCount;
}

/** The checks once everything has ended. */
function judge(world: ProductWorld, partner: RenamingPartner, dead: ReadonlySet<string>): void {
  checkCommandsEnd(world, dead);
  const exempt = new Set(partner.lost().map(({ externalId }) => externalId));
  for (const { commandId, product } of unfinishedRenames(world, dead)) {
    world.simulation.note('judge', () => `${commandId} has no known outcome`);
    exempt.add(product.externalId);
  }
  world.newestWins.finish(world.shelf.values, (place) => exempt.has(place.split(' ')[1] ?? ''));
}

/** Renames whose command is no longer redelivered or whose outcome no one knows: their values may be lost. */
function unfinishedRenames({ commands, tables }: ProductWorld, dead: ReadonlySet<string>) {
  const unresolved = new Set(
    tables.batches.all().flatMap(({ state, commandId }) => (state === 'unresolved' ? [commandId] : [])),
  );
  return [...commands.values()].flatMap((command) => {
    const isOpen = dead.has(command.commandId) || unresolved.has(command.commandId);
    return command.kind === 'update' && isOpen ? [command] : [];
  });
}
