import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type OrderRecord, orderRecordSchema } from '../orders/model.ts';
import type { OrderTable } from '../orders/ports.ts';
import { orderUnknownSince } from '../orders/rules/order-action.ts';
import { type Item, pageOptions, readPage, versionedItems } from './items.ts';

/**
 * The Orders table. Its items never expire, so that a late redelivery of a decision is not sent again. Its global index
 * `unknown` is sparse: an item has `unknownSince` (ISO 8601) from right before its request is sent until its outcome is
 * known.
 */
export function createOrderTable(client: DynamoDBDocumentClient, tableName: string): OrderTable {
  const read = (item: Item) => orderRecordSchema.parse(item);
  const records = versionedItems<OrderRecord>({
    client,
    tableName,
    read,
    write: (order) => {
      const since = orderUnknownSince(order);
      return { ...order, ...(since !== undefined && { unknownSince: isoTime(since) }) };
    },
  });
  return {
    get: (storeClientId, orderKey) => records.get({ storeClientId, orderKey }),
    update: (storeClientId, orderKey, change) => records.update({ storeClientId, orderKey }, change),
    listUnknown: async (storeClientId, { now, ...page }) => {
      const query = new QueryCommand({
        TableName: tableName,
        IndexName: 'unknown',
        KeyConditionExpression: 'storeClientId = :store AND unknownSince <= :now',
        ExpressionAttributeValues: { ':store': storeClientId, ':now': isoTime(now) },
        ...pageOptions(page),
      });
      const { items, ...rest } = await readPage(client, query);
      return { orders: items.map(read), ...rest };
    },
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
