import type { OrderRecord } from '../../shared/orders/model.ts';
import type { OrderTable } from '../../shared/orders/ports.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** The Orders table in memory; tables over the same `items` are one table. */
export function inMemoryOrderTable(
  step: Step = directly,
  items: VersionedItems<OrderRecord> = new VersionedItems(),
): OrderTable {
  const keyOf = (storeClientId: string, orderKey: string) => `${storeClientId} ${orderKey}`;
  return {
    get: (storeClientId, orderKey) =>
      step(`orders.read ${orderKey}`, () => items.read(keyOf(storeClientId, orderKey))?.value),

    update: (storeClientId, orderKey, change) =>
      updateItem({ items, key: keyOf(storeClientId, orderKey), step, name: 'orders' }, change),
  };
}
