import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { GuardTable } from '../guards/ports.ts';
import { type PriceGuard, priceGuardSchema } from '../guards/rules/price-guard.ts';
import { getVersionedItem, updateVersionedItem, type VersionedItemOptions } from './versioned-item.ts';

/** The Guards table: one item per store that has, or had, a guard. */
export function createGuardTable(client: DynamoDBDocumentClient, tableName: string): GuardTable {
  const optionsOf = (storeClientId: string): VersionedItemOptions<PriceGuard> => ({
    client,
    tableName,
    key: { storeClientId },
    read: (item) => priceGuardSchema.parse(item),
    write: (guard) => guard,
  });
  return {
    get: async (storeClientId) => (await getVersionedItem(optionsOf(storeClientId)))?.value,
    update: (storeClientId, change) => updateVersionedItem(optionsOf(storeClientId), change),
  };
}
