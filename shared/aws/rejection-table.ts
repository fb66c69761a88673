import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Rejection, type RejectionTable, rejectionSchema } from '../rejections/model.ts';
import { expiresAt, partition, putItems, queryPage, queryPages } from './items.ts';

/** Most rejections listed of one command or event. */
const MOST_OF_SOURCE = 1_000;

/** The Rejections table, by store. Its global index `bySource` is by the command, or else the event, that was rejected. */
export function createRejectionTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): RejectionTable {
  const table = { client, tableName };
  return {
    putAll: async (rejections) => {
      // DynamoDB refuses a batch write with the same key twice.
      const byKey = new Map(rejections.map((it) => [`${it.storeClientId}\n${it.rejectionId}`, it]));
      await putItems(
        table,
        [...byKey.values()].map((rejection) => itemOf(rejection, keptDays)),
      );
    },

    listOf: async (sourceId) => {
      const rejections: Rejection[] = [];
      const pages = queryPages(table, {
        IndexName: 'bySource',
        ...partition('sourceId', sourceId),
        Limit: MOST_OF_SOURCE,
      });
      for await (const { Items = [] } of pages) {
        rejections.push(...Items.map((item) => rejectionSchema.parse(item)));
        if (rejections.length >= MOST_OF_SOURCE) break;
      }
      return rejections.slice(0, MOST_OF_SOURCE);
    },

    list: async (storeClientId, options) => {
      const { items, ...rest } = await queryPage(table, partition('storeClientId', storeClientId), options);
      return { rejections: items.map((item) => rejectionSchema.parse(item)), ...rest };
    },
  };
}

function itemOf(rejection: Rejection, keptDays: number) {
  const { commandId, eventId } = rejection;
  const sourceId = commandId ?? eventId;
  return {
    ...rejection,
    ...(sourceId !== undefined && { sourceId }),
    // Not from `rejectedAt`, which is the time of the command: that may be long past.
    expiresAt: expiresAt(Date.now(), keptDays),
  };
}
