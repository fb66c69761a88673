import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type OrderRecord, orderRecordSchema } from '../orders/model.ts';
import type { OrderTable } from '../orders/ports.ts';
import { orderUnknownSince } from '../orders/rules/order-action.ts';
import { cursorOf, pageOptions } from './page.ts';
import { getVersionedItem, updateVersionedItem, type VersionedItemOptions } from './versioned-item.ts';

/**
 * The Orders table. Nothing in it expires: a decision must not be sent again however late it is asked for. Its global
 * index `unknown` is sparse: an item has `unknownSince` (ISO 8601) from when its request is about to leave until its
 * outcome is known.
 */
export function createOrderTable(client: DynamoDBDocumentClient, tableName: string): OrderTable {
  const optionsOf = (storeClientId: string, orderKey: string): VersionedItemOptions<OrderRecord> => ({
    client,
    tableName,
    key: { storeClientId, orderKey },
    read: (item) => orderRecordSchema.parse(item),
    write: (order) => {
      const since = orderUnknownSince(order);
      return { ...order, ...(since !== undefined && { unknownSince: isoTime(since) }) };
    },
  });
  return {
    get: async (storeClientId, orderKey) =>
      (await getVersionedItem(optionsOf(storeClientId, orderKey)))?.value,
    update: (storeClientId, orderKey, change) =>
      updateVersionedItem(optionsOf(storeClientId, orderKey), change),
    listUnknown: async (storeClientId, { now, ...page }) => {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'unknown',
          KeyConditionExpression: 'storeClientId = :store AND unknownSince <= :now',
          ExpressionAttributeValues: { ':store': storeClientId, ':now': isoTime(now) },
          ...pageOptions(page),
        }),
      );
      return { orders: Items.map((item) => orderRecordSchema.parse(item)), ...cursorOf(LastEvaluatedKey) };
    },
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
