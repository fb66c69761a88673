import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { GuardTable } from '../guards/ports.ts';
import { heldPricesSchema, type PriceGuard, priceGuardSchema } from '../guards/rules/price-guard.ts';
import { partition, queryPage } from './query.ts';
import { versionedItems } from './versioned-items.ts';

/** The index has only this partition: a guard leaves the index when its hold is lifted. */
const HELD = 'yes';

/**
 * The Guards table: one item per store that has or had a guard. Its sparse global index `held` contains guards that hold
 * prices.
 */
export function createGuardTable(client: DynamoDBDocumentClient, tableName: string): GuardTable {
  const table = { client, tableName };
  const guards = versionedItems<PriceGuard>({
    ...table,
    read: (item) => priceGuardSchema.parse(item),
    write: (guard) => ({ ...guard, ...(guard.hold && { held: HELD, heldSince: guard.hold.since }) }),
  });
  return {
    get: (storeClientId) => guards.get({ storeClientId }),
    update: (storeClientId, change) => guards.update({ storeClientId }, change),
    listHeld: async (page) => {
      const query = { IndexName: 'held', ...partition('held', HELD) };
      const { items, ...rest } = await queryPage(table, query, page);
      return { held: items.map((item) => heldPricesSchema.parse(item)), ...rest };
    },
  };
}
