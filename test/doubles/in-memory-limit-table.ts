import type { Limit } from '../../shared/limits/model.ts';
import type { LimitTable } from '../../shared/limits/ports.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** The Limits table in memory; tables over the same `items` are one table. */
export function inMemoryLimitTable(
  step: Step = directly,
  items: VersionedItems<Limit> = new VersionedItems(),
): LimitTable {
  return {
    get: (limitId) => step(`limits.read ${limitId}`, () => items.read(limitId)?.value),
    update: (limitId, change) => updateItem({ items, key: limitId, step, name: 'limits' }, change),
  };
}
