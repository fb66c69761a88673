import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type OrderRecord, orderRecordSchema } from '../orders/model.ts';
import type { OrderTable } from '../orders/ports.ts';
import { getVersionedItem, updateVersionedItem, type VersionedItemOptions } from './versioned-item.ts';

/** The Orders table. Nothing in it expires: a decision must not be sent again however late it is asked for. */
export function createOrderTable(client: DynamoDBDocumentClient, tableName: string): OrderTable {
  const optionsOf = (storeClientId: string, orderKey: string): VersionedItemOptions<OrderRecord> => ({
    client,
    tableName,
    key: { storeClientId, orderKey },
    read: (item) => orderRecordSchema.parse(item),
    write: (order) => order,
  });
  return {
    get: async (storeClientId, orderKey) =>
      (await getVersionedItem(optionsOf(storeClientId, orderKey)))?.value,
    update: (storeClientId, orderKey, change) =>
      updateVersionedItem(optionsOf(storeClientId, orderKey), change),
  };
}
