import { BatchWriteCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { chunk } from '../collections/chunk.ts';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import type { RejectionTable } from '../rejections/model.ts';
import { type Rejection, rejectionSchema } from '../rejections/model.ts';
import { expiresAt } from './expiry.ts';
import { cursorOf, pageOptions } from './page.ts';
import { untilProcessed } from './until-processed.ts';

/** How long rejections are kept for the partner to look at. */
const KEPT_DAYS = 90;
/** DynamoDB's own limit of a batch write. */
const WRITES_PER_BATCH = 25;
/** Batch writes under way at a time. */
const WRITE_CONCURRENCY = 4;

type Item = Rejection & { readonly expiresAt: number };

/** The Rejections table: rows and events that could not be processed, by store. */
export function createRejectionTable(client: DynamoDBDocumentClient, tableName: string): RejectionTable {
  return {
    putAll: async (rejections) => {
      // One write may not name a key twice.
      const items = new Map(rejections.map((rejection) => [keyOf(rejection), toItem(rejection)]));
      await forEachConcurrently(chunk([...items.values()], WRITES_PER_BATCH), WRITE_CONCURRENCY, (part) =>
        writeAll(client, tableName, part),
      );
    },

    list: async (storeClientId, options) => {
      const page = await client.send(
        new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'storeClientId = :store',
          ExpressionAttributeValues: { ':store': storeClientId },
          ...pageOptions(options),
        }),
      );
      return {
        rejections: (page.Items ?? []).map((item) => rejectionSchema.parse(item)),
        ...cursorOf(page.LastEvaluatedKey),
      };
    },
  };
}

function keyOf({ storeClientId, rejectionId }: Rejection): string {
  return `${storeClientId}\n${rejectionId}`;
}

function toItem(rejection: Rejection): Item {
  return { ...rejection, expiresAt: expiresAt(Date.parse(rejection.rejectedAt), KEPT_DAYS) };
}

async function writeAll(
  client: DynamoDBDocumentClient,
  tableName: string,
  items: readonly Item[],
): Promise<void> {
  const writes = items.map((item) => ({ PutRequest: { Item: { ...item } as Record<string, unknown> } }));
  await untilProcessed(writes, async (open) => {
    const { UnprocessedItems } = await client.send(
      new BatchWriteCommand({ RequestItems: { [tableName]: [...open] } }),
    );
    return (UnprocessedItems?.[tableName] ?? []) as typeof writes;
  });
}
