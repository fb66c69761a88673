import { isDeepStrictEqual } from 'node:util';
import type { OrderRecord } from '../../shared/orders/model.ts';
import type { OrderTable } from '../../shared/orders/ports.ts';
import { hasState, lastRequestedAt, orderUnknownSince } from '../../shared/orders/rules/order-action.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** The Orders table in memory; tables over the same `items` are one table. */
export function inMemoryOrderTable(
  step: Step = directly,
  items: VersionedItems<OrderRecord> = new VersionedItems(),
): OrderTable {
  const keyOf = (storeClientId: string, orderKey: string) => `${storeClientId} ${orderKey}`;
  const written = new Map();
  return {
    get: (storeClientId, orderKey) =>
      step(`orders.read ${orderKey}`, () => items.read(keyOf(storeClientId, orderKey))?.value),

    update: (storeClientId, orderKey, change) =>
      updateItem({ items, key: keyOf(storeClientId, orderKey), step, name: 'orders', written }, change),

    remove: (order) =>
      step(`orders.remove ${order.orderKey}`, () => {
        const key = keyOf(order.storeClientId, order.orderKey);
        const isUnchanged = isDeepStrictEqual(items.read(key)?.value, order);
        if (isUnchanged) items.delete(key);
        return isUnchanged;
      }),

    listUnknown: (storeClientId, { now, ...request }) =>
      step(`orders.listUnknown ${storeClientId}`, () => {
        const since = (order: OrderRecord) => orderUnknownSince(order) ?? Number.POSITIVE_INFINITY;
        const found = items
          .all()
          .filter((order) => order.storeClientId === storeClientId && since(order) <= now)
          .sort((a, b) => since(a) - since(b));
        const { page, ...cursor } = pageOf(found, ({ orderKey }) => orderKey, request);
        return { orders: page, ...cursor };
      }),

    list: (storeClientId, { state, ...request } = {}) =>
      step(`orders.list ${storeClientId}`, () => {
        const at = (order: OrderRecord) => lastRequestedAt(order) ?? '';
        const found = items
          .all()
          .filter((order) => order.storeClientId === storeClientId && at(order) !== '')
          .sort((a, b) => compareText(at(b), at(a)));
        const { page, ...cursor } = pageOf(found, ({ orderKey }) => orderKey, request);
        return { orders: page.filter((order) => hasState(order, state)), ...cursor };
      }),
  };
}
