import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inStoredWords, type OrderRecord, orderRecordSchema } from '../orders/model.ts';
import type { OrderTable } from '../orders/ports.ts';
import { hasState, lastChangedAt, lastRequestedAt, orderUnknownSince } from '../orders/rules/order-action.ts';
import { deleteItemIf, expiresAt, getItems, type Item } from './items.ts';
import { partition, queryPage } from './query.ts';
import { versionedItems } from './versioned-items.ts';

/**
 * The Orders table. Its global index `recent` has only keys, by the time of the last request (`requestedAt`), so that the end of a
 * request does not change the index. Its global index `unknown` is sparse: while an outcome is unknown, an item has `unknownSince` (ISO
 * 8601) and does not expire. An order is kept for `keptDays` after its last action; a decision that is given again later is sent again.
 */
export function createOrderTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): OrderTable {
  const read = (item: Item) => orderRecordSchema.parse(item);
  const table = { client, tableName };
  const records = versionedItems<OrderRecord>({
    ...table,
    read,
    // The process that locks an order for its request then writes the outcome.
    isChangedNext: true,
    write: (order) => {
      const since = orderUnknownSince(order);
      const lasting = since !== undefined && { unknownSince: new Date(since).toISOString() };
      const requestedAt = lastRequestedAt(order);
      const changedAt = lastChangedAt(order);
      return {
        ...inStoredWords(order),
        ...(requestedAt !== undefined && { requestedAt }),
        ...(lasting || {
          expiresAt: expiresAt(changedAt === undefined ? Date.now() : Date.parse(changedAt), keptDays),
        }),
      };
    },
  });
  return {
    get: (storeClientId, orderKey) => records.get({ storeClientId, orderKey }),
    update: (storeClientId, orderKey, change) => records.update({ storeClientId, orderKey }, change),
    remove: (order) => {
      const { storeClientId, orderKey } = order;
      return deleteItemIf(table, { storeClientId, orderKey }, records.isUnchanged(order));
    },
    listUnknown: async (storeClientId, { now, ...page }) => {
      const query = {
        IndexName: 'unknown',
        ...partition('storeClientId', storeClientId, 'unknownSince', {
          from: '0',
          to: new Date(now).toISOString(),
        }),
      };
      const { items, ...rest } = await queryPage(table, query, page);
      return { orders: items.map(read), ...rest };
    },
    list: async (storeClientId, { state, ...page } = {}) => {
      const query = {
        IndexName: 'recent',
        ...partition('storeClientId', storeClientId),
        ScanIndexForward: false,
      };
      const { items: entries, ...rest } = await queryPage(table, query, page);
      const keys = entries.map(({ orderKey }) => ({ storeClientId, orderKey }));
      const found = await getItems(table, keys, { consistent: false });
      const byKey = new Map(found.map((item) => [item.orderKey, read(item)]));
      const orders = keys.flatMap(({ orderKey }) => byKey.get(orderKey) ?? []);
      return { orders: orders.filter((order) => hasState(order, state)), ...rest };
    },
  };
}
