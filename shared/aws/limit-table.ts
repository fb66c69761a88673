import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Limit, limitSchema } from '../limits/model.ts';
import type { LimitTable } from '../limits/ports.ts';
import { getVersionedItem, updateVersionedItem, type VersionedItemOptions } from './versioned-item.ts';

/** The Limits table: one item per partner. */
export function createLimitTable(client: DynamoDBDocumentClient, tableName: string): LimitTable {
  const optionsOf = (limitId: string): VersionedItemOptions<Limit> => ({
    client,
    tableName,
    key: { limitId },
    read: (item) => limitSchema.parse(item),
    write: (limit) => limit,
  });
  return {
    get: async (limitId) => (await getVersionedItem(optionsOf(limitId)))?.value,
    update: (limitId, change) => updateVersionedItem(optionsOf(limitId), change),
  };
}
