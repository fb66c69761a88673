import type { ProductTurnTable } from '../../shared/products/ports.ts';
import type { ProductTurn } from '../../shared/products/turn.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** Whose turn it is at which product, in memory; tables over the same `items` are one table. */
export function inMemoryProductTurnTable(
  step: Step = directly,
  items: VersionedItems<ProductTurn> = new VersionedItems(),
): ProductTurnTable {
  return { update: (key, change) => updateItem({ items, key, step, name: 'turns' }, change) };
}
