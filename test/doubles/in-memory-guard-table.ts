import type { GuardTable } from '../../shared/guards/ports.ts';
import type { PriceGuard } from '../../shared/guards/rules/price-guard.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** The Guards table in memory; tables over the same `items` are one table. */
export function inMemoryGuardTable(
  step: Step = directly,
  items: VersionedItems<PriceGuard> = new VersionedItems(),
): GuardTable {
  return {
    get: (storeClientId) => step(`guards.read ${storeClientId}`, () => items.read(storeClientId)?.value),
    update: (storeClientId, change) =>
      updateItem({ items, key: storeClientId, step, name: 'guards' }, change),
    listHeld: (page) =>
      step('guards.list held', () => {
        const held = items
          .all()
          .flatMap(({ storeClientId, hold }) => (hold ? [{ storeClientId, hold }] : []));
        held.sort((a, b) => compareText(a.hold.since, b.hold.since));
        const { page: entries, ...cursor } = pageOf(held, ({ storeClientId }) => storeClientId, page);
        return { held: entries, ...cursor };
      }),
  };
}
