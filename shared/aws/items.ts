import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
} from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import { chunk } from '../collections/packer.ts';
import { untilProcessed } from './until-processed.ts';

export type Item = Record<string, unknown>;

export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
}

/** DynamoDB's limit of a batch read. */
const KEYS_PER_BATCH = 100;

/** Strongly consistent. */
export async function getItem({ client, tableName }: Table, Key: Item): Promise<Item | undefined> {
  const { Item } = await client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }));
  return Item;
}

/**
 * Reads the existing items under `keys`, in no order.
 *
 * @param consistent whether the read is strongly consistent, at twice the price. Default: true.
 * @throws ConnectorError `UNPROCESSED` (retryable) when some keys stay unprocessed
 */
export async function getItems(
  { client, tableName }: Table,
  keys: readonly Item[],
  { consistent = true }: { readonly consistent?: boolean } = {},
): Promise<Item[]> {
  const items: Item[] = [];
  for (const part of chunk(keys, KEYS_PER_BATCH)) {
    await untilProcessed(part, async (open) => {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [tableName]: { Keys: open, ConsistentRead: consistent } } }),
      );
      items.push(...(Responses?.[tableName] ?? []));
      return UnprocessedKeys?.[tableName]?.Keys ?? [];
    });
  }
  return items;
}

/** DynamoDB's limit of a batch write. */
const WRITES_PER_BATCH = 25;
/** Batch writes in flight. */
const WRITE_CONCURRENCY = 4;

/**
 * Writes items and replaces existing ones. No two items may have the same key.
 *
 * @throws ConnectorError `UNPROCESSED` (retryable) when some items stay unprocessed
 */
export function putItems(table: Table, items: readonly Item[]): Promise<void> {
  return writeAll(
    table,
    items.map((item) => ({ PutRequest: { Item: item } })),
  );
}

/**
 * Deletes items. No key may occur twice.
 *
 * @throws ConnectorError `UNPROCESSED` (retryable) when some items stay unprocessed
 */
export function deleteItems(table: Table, keys: readonly Item[]): Promise<void> {
  return writeAll(
    table,
    keys.map((key) => ({ DeleteRequest: { Key: key } })),
  );
}

async function writeAll<Write extends { PutRequest: { Item: Item } } | { DeleteRequest: { Key: Item } }>(
  { client, tableName }: Table,
  writes: readonly Write[],
): Promise<void> {
  await forEachConcurrently(chunk(writes, WRITES_PER_BATCH), WRITE_CONCURRENCY, (part) =>
    untilProcessed(part, async (open) => {
      const { UnprocessedItems } = await client.send(
        new BatchWriteCommand({ RequestItems: { [tableName]: open } }),
      );
      return (UnprocessedItems?.[tableName] ?? []) as Write[];
    }),
  );
}

/** Puts an item, if `condition` holds. @returns whether the condition holds */
export function putItem({ client, tableName }: Table, Item: Item, condition = {}): Promise<boolean> {
  return conditionHeld(client.send(new PutCommand({ TableName: tableName, Item, ...condition })));
}

/** Deletes an item, if it exists and `condition` holds. */
export async function deleteItem(table: Table, key: Item, condition = {}): Promise<void> {
  await deleteItemIf(table, key, condition);
}

/** As `deleteItem`. @returns whether `condition` holds */
export function deleteItemIf({ client, tableName }: Table, Key: Item, condition: object): Promise<boolean> {
  return conditionHeld(client.send(new DeleteCommand({ TableName: tableName, Key, ...condition })));
}

async function conditionHeld(write: Promise<object>): Promise<boolean> {
  const result = await write.catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
  return result !== undefined;
}

/** Value of a TTL attribute, epoch seconds, `days` after `now` (epoch ms). */
export function expiresAt(now: number, days: number): number {
  return Math.floor(now / 1000) + days * 86_400;
}
