import { BatchWriteCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import { chunk } from '../collections/packer.ts';
import type { RejectionTable } from '../rejections/model.ts';
import { rejectionSchema } from '../rejections/model.ts';
import { expiresAt, pageOptions, readPage } from './items.ts';
import { untilProcessed } from './until-processed.ts';

/** How long rejections are kept for the partner to look at. */
const KEPT_DAYS = 90;
/** DynamoDB's own limit of a batch write. */
const WRITES_PER_BATCH = 25;
/** Batch writes under way at a time. */
const WRITE_CONCURRENCY = 4;

/** The Rejections table: rows and events that could not be processed, by store. */
export function createRejectionTable(client: DynamoDBDocumentClient, tableName: string): RejectionTable {
  return {
    putAll: async (rejections) => {
      // One write may not name a key twice.
      const byKey = new Map(rejections.map((it) => [`${it.storeClientId}\n${it.rejectionId}`, it]));
      const writes = [...byKey.values()].map((rejection) => ({
        PutRequest: {
          Item: { ...rejection, expiresAt: expiresAt(Date.parse(rejection.rejectedAt), KEPT_DAYS) },
        },
      }));
      await forEachConcurrently(chunk(writes, WRITES_PER_BATCH), WRITE_CONCURRENCY, (part) =>
        untilProcessed(part, async (open) => {
          const { UnprocessedItems } = await client.send(
            new BatchWriteCommand({ RequestItems: { [tableName]: open } }),
          );
          return (UnprocessedItems?.[tableName] ?? []) as typeof writes;
        }),
      );
    },

    list: async (storeClientId, options) => {
      const query = new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: 'storeClientId = :store',
        ExpressionAttributeValues: { ':store': storeClientId },
        ...pageOptions(options),
      });
      const { items, ...rest } = await readPage(client, query);
      return { rejections: items.map((item) => rejectionSchema.parse(item)), ...rest };
    },
  };
}
