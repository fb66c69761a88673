import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { chunk } from '../collections/chunk.ts';
import { untilProcessed } from './until-processed.ts';

type Item = Record<string, unknown>;

/** DynamoDB's own limit of a batch read. */
const KEYS_PER_BATCH = 100;

/**
 * Reads the items that there are under `keys`, strongly consistent, in no order.
 *
 * @throws ConnectorError `UNPROCESSED` (retryable) when DynamoDB keeps leaving some out
 */
export async function getItems(
  client: DynamoDBDocumentClient,
  tableName: string,
  keys: readonly Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  for (const part of chunk(keys, KEYS_PER_BATCH)) {
    await untilProcessed(part, async (open) => {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [tableName]: { Keys: [...open], ConsistentRead: true } } }),
      );
      items.push(...(Responses?.[tableName] ?? []));
      return UnprocessedKeys?.[tableName]?.Keys ?? [];
    });
  }
  return items;
}
