import type { Simulation } from '../../engine/simulation.ts';
import type { GivenCommand } from '../../world/products/given-commands.ts';
import type { ProductTables } from '../../world/products/product-tables.ts';
import type { ProductWorld } from '../../world/products/product-world.ts';

export const DISCARDED = 'COMMAND_DISCARDED';

/** Commands that were at least partly discarded, with all waiting work of their store. */
export function discardedCommands({ rejections }: Pick<ProductTables, 'rejections'>): Set<string> {
  const dropped = [...rejections.values()].filter(({ code }) => code === DISCARDED);
  return new Set(dropped.map(({ commandId = '' }) => commandId));
}

/**
 * Updates whose store was discarded while their outcome was unknown, and that were not read back as accepted: they are not
 * sent again.
 */
export function notDoneOnceDiscarded({ commands, tables }: ProductWorld): string[] {
  return tables.batches.all().flatMap(({ kind, state, commandId = '' }) => {
    const command = commands.get(commandId);
    if (kind !== 'product-update' || command === undefined) return [];
    if (state !== 'unresolved' && state !== 'failed') return [];
    const { discardedAt = '' } = tables.stores.get(command.store.storeClientId) ?? {};
    return Math.floor(command.time) <= Date.parse(discardedAt) ? [commandId] : [];
  });
}

/** A command may be discarded only if it was given before the work of its store was discarded. */
export function checkDiscarded(
  simulation: Simulation,
  { stores }: ProductTables,
  { commandId, store, time, givenAt = time }: GivenCommand,
): void {
  const { discardedAt = '' } = stores.get(store.storeClientId) ?? {};
  if (Math.floor(Math.min(time, givenAt)) <= Date.parse(discardedAt)) return;
  simulation.violate(`P2: command ${commandId} was discarded, and no operator requested that`);
}
