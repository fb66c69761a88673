import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { GuardTable } from '../guards/ports.ts';
import { type PriceGuard, priceGuardSchema } from '../guards/rules/price-guard.ts';
import { versionedItems } from './items.ts';

/** The Guards table: one item per store that has, or had, a guard. */
export function createGuardTable(client: DynamoDBDocumentClient, tableName: string): GuardTable {
  const guards = versionedItems<PriceGuard>({
    client,
    tableName,
    read: (item) => priceGuardSchema.parse(item),
    write: (guard) => ({ ...guard }),
  });
  return {
    get: (storeClientId) => guards.get({ storeClientId }),
    update: (storeClientId, change) => guards.update({ storeClientId }, change),
  };
}
