import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import { chunk } from '../collections/packer.ts';
import type { PageRequest } from '../collections/page-request.ts';
import { ConnectorError } from '../errors/connector-error.ts';
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
 * Deletes items. No key may be there twice.
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

/** Puts an item, if `condition` holds. @returns whether it holds */
export function putItem({ client, tableName }: Table, Item: Item, condition = {}): Promise<boolean> {
  return conditionHeld(client.send(new PutCommand({ TableName: tableName, Item, ...condition })));
}

/** Deletes an item, if there is one and `condition` holds. */
export async function deleteItem({ client, tableName }: Table, Key: Item, condition = {}): Promise<void> {
  await conditionHeld(client.send(new DeleteCommand({ TableName: tableName, Key, ...condition })));
}

async function conditionHeld(write: Promise<object>): Promise<boolean> {
  const result = await write.catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
  return result !== undefined;
}

export type Query = Omit<QueryCommandInput, 'TableName'>;
type Scan = Omit<ScanCommandInput, 'TableName'>;

/** A range of a sort key. */
type Range =
  | { readonly beginsWith: string }
  | { readonly below: string }
  | { readonly from: string; readonly to: string };

/** The part of a query that selects a partition of a table or an index. Default: all of its items. */
export function partition(keyName: string, value: string, sortKey = '', range?: Range) {
  const conditions = ['#partition = :partition'];
  if (range !== undefined && 'beginsWith' in range) conditions.push('begins_with(#sort, :beginsWith)');
  if (range !== undefined && 'below' in range) conditions.push('#sort < :below');
  if (range !== undefined && 'from' in range) conditions.push('#sort BETWEEN :from AND :to');
  const values = Object.entries(range ?? {}).map(([name, bound]) => [`:${name}`, bound]);
  return {
    KeyConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: { '#partition': keyName, ...(range && { '#sort': sortKey }) },
    ExpressionAttributeValues: { ':partition': value, ...Object.fromEntries(values) },
  };
}

/** The items of one page of a query, with a cursor if there is a next page. */
export function queryPage({ client, tableName }: Table, query: Query, page?: PageRequest) {
  return readPage(client, new QueryCommand({ TableName: tableName, ...query, ...pageOptions(page) }));
}

/** The items of one page of a scan, with a cursor if there is a next page. */
export function scanPage({ client, tableName }: Table, scan: Scan, page?: PageRequest) {
  return readPage(client, new ScanCommand({ TableName: tableName, ...scan, ...pageOptions(page) }));
}

async function readPage(
  client: DynamoDBDocumentClient,
  command: QueryCommand | ScanCommand,
): Promise<{ items: Item[]; cursor?: string }> {
  const { Items = [], LastEvaluatedKey } = await client.send(command as QueryCommand);
  return { items: Items, ...(LastEvaluatedKey && { cursor: writeCursor(LastEvaluatedKey) }) };
}

/** All items of a query. */
export async function queryAll(table: Table, query: Query): Promise<Item[]> {
  return (await Array.fromAsync(queryPages(table, query))).flatMap(({ Items = [] }) => Items);
}

/** The pages of a query, read one by one. */
export async function* queryPages({ client, tableName }: Table, query: Query) {
  let after: Item | undefined;
  do {
    const page = await client.send(
      new QueryCommand({ TableName: tableName, ...query, ...(after && { ExclusiveStartKey: after }) }),
    );
    yield page;
    after = page.LastEvaluatedKey;
  } while (after !== undefined);
}

const keySchema = z.record(z.string(), z.union([z.string(), z.int()]));

/**
 * The options of a query or scan that select one page. A cursor is the JSON of DynamoDB's start key.
 *
 * @throws ConnectorError `CURSOR_INVALID` when the cursor does not come from an earlier page
 */
function pageOptions({ limit, cursor }: PageRequest = {}) {
  return {
    ...(limit !== undefined && { Limit: limit }),
    ...(cursor !== undefined && { ExclusiveStartKey: readCursor(cursor, keySchema) }),
  };
}

/** The cursor of a position in a list. */
export function writeCursor(position: Readonly<Item>): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * The position of a cursor.
 *
 * @throws ConnectorError `CURSOR_INVALID` when the position does not match `schema`
 */
export function readCursor<Position>(cursor: string, schema: z.ZodType<Position>): Position {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new ConnectorError('cursor: must be the cursor of an earlier page', {
      code: 'CURSOR_INVALID',
      cause,
    });
  }
}

/** Value of a TTL attribute, epoch seconds, `days` after `now` (epoch ms). */
export function expiresAt(now: number, days: number): number {
  return Math.floor(now / 1000) + days * 86_400;
}

/** Attempts of a write that meets concurrent writes. */
const MAX_TRIES = 20;
/** Own writes in memory: as many as the orders of two requests by default. */
const MOST_WRITTEN = 200;

export interface VersionedItemsOptions<T> extends Table {
  /** Parses an item of the table; throws for an item that breaks the schema. */
  readonly read: (item: Item) => T;
  /** The item's attributes without its key, `revision` and `writeId`. Default: the value's fields. */
  readonly write?: (value: T) => Item;
  /** Whether who writes an item usually changes it next: without a read. Changes must not throw: the item may be an old one. */
  readonly isChangedNext?: boolean;
}

type Key = Readonly<Record<string, string>>;

export interface VersionedItems<T> {
  /** Parses an item that was read elsewhere, by a query for instance. */
  read(item: Item): T;
  /** Strongly consistent. */
  get(key: Key): Promise<T | undefined>;
  /**
   * Applies `change` to an item and stores the result if no other write came between. Otherwise reads the item again and
   * retries. The first try uses `known`, a value that was read or written here, instead of a read (`none`: no item exists).
   * `change` returns `undefined` for no change. `finish` may change the item once more before it is written.
   *
   * @returns the stored item
   * @throws ConnectorError `WRITE_CONTENTION` (retryable) when other writes came between each time
   */
  update(
    key: Key,
    change: (current: T | undefined) => T | undefined,
    known?: T | 'none',
    finish?: (next: T) => Promise<T>,
  ): Promise<T | undefined>;
}

/** Items with optimistic locking: a write is conditional on the item's `revision`, and `writeId` identifies the last write. */
export function versionedItems<T extends object>(options: VersionedItemsOptions<T>): VersionedItems<T> {
  /** The revision of each value that was read or written, which its next write is conditional on. */
  const revisions = new WeakMap<T, number>();
  const read = (item: Item) => {
    const value = options.read(item);
    revisions.set(value, typeof item.revision === 'number' ? item.revision : 0);
    return value;
  };
  const get = async (key: Key) => {
    const item = await getItem(options, key);
    return item && read(item);
  };
  /** The last writes of this process, by key. */
  const written = new Map<string, T>();
  return {
    read,
    get,
    update: async (key, change, known, finish = async (next) => next) => {
      const name = JSON.stringify(key);
      let own = written.get(name);
      written.delete(name);
      const start = known !== 'none' && known && revisions.has(known) ? known : own;
      let current = known === 'none' ? undefined : (start ?? (await get(key)));
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const next = change(current);
        if (next === undefined && own === undefined) return current;
        const value = next && (await finish(next));
        const revision = current && revisions.get(current);
        if (value !== undefined && (await putIfUnchanged(options, key, value, revision))) {
          revisions.set(value, (revision ?? 0) + 1);
          if (options.isChangedNext) written.set(name, value);
          for (const oldest of written.keys()) if (written.size > MOST_WRITTEN) written.delete(oldest);
          return value;
        }
        own = undefined;
        current = await get(key);
      }
      const message = `${options.tableName} ${name} has too many concurrent writes`;
      throw new ConnectorError(message, { code: 'WRITE_CONTENTION', retryable: true });
    },
  };
}

async function putIfUnchanged<T>(
  options: VersionedItemsOptions<T>,
  key: Key,
  value: T,
  revision: number | undefined,
): Promise<boolean> {
  const writeId = randomUUID();
  const [keyName = ''] = Object.keys(key);
  const condition =
    revision === undefined
      ? { ConditionExpression: 'attribute_not_exists(#key)', ExpressionAttributeNames: { '#key': keyName } }
      : {
          ConditionExpression: '#revision = :revision',
          ExpressionAttributeNames: { '#revision': 'revision' },
          ExpressionAttributeValues: { ':revision': revision },
        };
  const Item = { ...(options.write?.(value) ?? value), ...key, revision: (revision ?? 0) + 1, writeId };
  if (await putItem(options, Item, condition)) return true;
  // After a lost answer the SDK retries the write, and the condition fails against our own first write.
  return (await getItem(options, key))?.writeId === writeId;
}
