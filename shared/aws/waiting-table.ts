import { DeleteCommand, type DynamoDBDocumentClient, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type WaitingPageTable, waitingPageSchema } from '../listings/waiting-pages.ts';
import { pageOptions, putItems, readPage } from './items.ts';

/** The Waiting table: the pages of waiting listings, by store and in order. Empty while no listing waits. */
export function createWaitingPageTable(client: DynamoDBDocumentClient, tableName: string): WaitingPageTable {
  return {
    putAll: (pages) => putItems({ client, tableName }, pages),

    query: async (storeClientId, { from, to, limit }) => {
      const query = new QueryCommand({
        TableName: tableName,
        ConsistentRead: true,
        KeyConditionExpression: 'storeClientId = :store AND #page BETWEEN :from AND :to',
        ExpressionAttributeNames: { '#page': 'page' },
        ExpressionAttributeValues: { ':store': storeClientId, ':from': from, ':to': to },
        Limit: limit,
      });
      const { items, cursor } = await readPage(client, query);
      return { pages: items.map((item) => waitingPageSchema.parse(item)), isMore: cursor !== undefined };
    },

    delete: async (storeClientId, page) => {
      await client.send(new DeleteCommand({ TableName: tableName, Key: { storeClientId, page } }));
    },

    list: async (request) => {
      const scan = new ScanCommand({ TableName: tableName, ConsistentRead: true, ...pageOptions(request) });
      const { items, ...rest } = await readPage(client, scan);
      return { pages: items.map((item) => waitingPageSchema.parse(item)), ...rest };
    },
  };
}
