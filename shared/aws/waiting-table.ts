import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type WaitingPage, type WaitingPageTable, waitingPageSchema } from '../listings/waiting-pages.ts';
import { deleteItem, type Item, putItems } from './items.ts';
import { partition, queryPage, scanPage } from './query.ts';
import { packed, unpacked } from './records.ts';

const readPage = (item: Item): WaitingPage => waitingPageSchema.parse(unpacked(item));

/** The Waiting table: the pages of waiting listings, by store and in order. Empty while no listing waits. */
export function createWaitingPageTable(client: DynamoDBDocumentClient, tableName: string): WaitingPageTable {
  const table = { client, tableName };
  return {
    putAll: (pages) =>
      putItems(
        table,
        pages.map((page) => packed(page, ['targets'])),
      ),

    query: async (storeClientId, { from, to, limit }) => {
      const { items, cursor } = await queryPage(table, {
        ConsistentRead: true,
        ...partition('storeClientId', storeClientId, 'page', { from, to }),
        Limit: limit,
      });
      return { pages: items.map(readPage), isMore: cursor !== undefined };
    },

    delete: (storeClientId, page) => deleteItem(table, { storeClientId, page }),

    list: async (request) => {
      const { items, ...rest } = await scanPage(table, { ConsistentRead: true }, request);
      return { pages: items.map(readPage), ...rest };
    },
  };
}
