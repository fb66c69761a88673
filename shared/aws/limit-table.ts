import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { limitSchema } from '../limits/model.ts';
import type { LimitChange, LimitTable } from '../limits/ports.ts';
import { getItem } from './items.ts';
import { type ItemUpdate, updateIf } from './update-if.ts';

/** The Limits table. Every write is one conditional update. */
export function createLimitTable(client: DynamoDBDocumentClient, tableName: string): LimitTable {
  const table = { client, tableName };
  return {
    get: async (limitId) => {
      const item = await getItem(table, { limitId });
      return item && limitSchema.parse(item);
    },

    create: async ({ limitId, ...limit }) => {
      // `granted` is for an earlier version, to which the stack may be rolled back: it can't read an item without this field.
      const set = { ...limit, granted: 0 };
      await updateIf(table, { limitId }, { set, where: [['limitId', 'absent']] });
    },

    change: async (limitId, change) => {
      const changed = await updateIf(table, { limitId }, updateOf(change));
      return changed && limitSchema.parse(changed);
    },
  };
}

function updateOf({ where = [], set, add = {}, permits = {} }: LimitChange): ItemUpdate {
  return {
    // An update never creates the item: without the other attributes it could not be read.
    where: [['limitId', 'exists'], ...where],
    set: {
      ...set,
      ...Object.fromEntries(Object.entries(permits).map(([id, until]) => [`permits.${id}`, until])),
    },
    add,
  };
}
