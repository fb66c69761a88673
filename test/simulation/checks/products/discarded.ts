import type { Simulation } from '../../engine/simulation.ts';
import type { GivenCommand } from '../../world/products/given-commands.ts';
import type { ProductTables } from '../../world/products/product-tables.ts';

export const DISCARDED = 'COMMAND_DISCARDED';

/** Commands of which at least a part was dropped, with all that waited for their store. */
export function discardedCommands({ rejections }: Pick<ProductTables, 'rejections'>): Set<string> {
  const dropped = [...rejections.values()].filter(({ code }) => code === DISCARDED);
  return new Set(dropped.map(({ commandId = '' }) => commandId));
}

/** A command may be dropped only if it was given before its store's work was discarded. */
export function checkDiscarded(
  simulation: Simulation,
  { stores }: ProductTables,
  { commandId, store, time }: GivenCommand,
): void {
  const { discardedAt = '' } = stores.get(store.storeClientId) ?? {};
  if (Math.floor(time) <= Date.parse(discardedAt)) return;
  simulation.violate(`P2: command ${commandId} was dropped, and nobody asked for that`);
}
