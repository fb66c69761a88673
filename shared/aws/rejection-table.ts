import { BatchWriteCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { chunk } from '../collections/chunk.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { type Rejection, rejectionSchema } from '../rejections/model.ts';
import type { RejectionTable } from '../rejections/ports.ts';
import { expiresAt } from './expiry.ts';
import { cursorOf, pageOptions } from './page.ts';

/** How long rejections are kept for the partner to look at. */
const KEPT_DAYS = 90;
/** DynamoDB's own limit of a batch write. */
const WRITES_PER_BATCH = 25;
const MAX_TRIES = 8;

type Item = Rejection & { readonly expiresAt: number };

/** The Rejections table: rows and events that could not be processed, by store. */
export function createRejectionTable(client: DynamoDBDocumentClient, tableName: string): RejectionTable {
  return {
    putAll: async (rejections) => {
      // One write may not name a key twice.
      const items = new Map(rejections.map((rejection) => [keyOf(rejection), toItem(rejection)]));
      for (const part of chunk([...items.values()], WRITES_PER_BATCH))
        await writeAll(client, tableName, part);
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

/** DynamoDB answers 200 with what it did not write: that is tried again. */
async function writeAll(
  client: DynamoDBDocumentClient,
  tableName: string,
  items: readonly Item[],
): Promise<void> {
  let open = items.map((item) => ({ PutRequest: { Item: { ...item } as Record<string, unknown> } }));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: open } }));
    open = (answer.UnprocessedItems?.[tableName] ?? []) as typeof open;
    if (open.length === 0) return;
  }
  throw new ConnectorError(`${open.length} rejections could not be written`, {
    code: 'WRITES_UNPROCESSED',
    retryable: true,
  });
}
