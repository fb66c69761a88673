import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  type ScanCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { chunk } from '../collections/chunk.ts';
import type { PageRequest } from '../collections/page-request.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { untilProcessed } from './until-processed.ts';

export type Item = Record<string, unknown>;

/** A table of DynamoDB. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
}

/** DynamoDB's own limit of a batch read. */
const KEYS_PER_BATCH = 100;

/** Strongly consistent. */
export async function getItem({ client, tableName }: Table, key: Item): Promise<Item | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }),
  );
  return Item;
}

/**
 * Reads the items that there are under `keys`, strongly consistent, in no order.
 *
 * @throws ConnectorError `UNPROCESSED` (retryable) when DynamoDB keeps leaving some out
 */
export async function getItems({ client, tableName }: Table, keys: readonly Item[]): Promise<Item[]> {
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

/** Updates an item; `false` where the condition does not hold. */
export async function updateIf(
  { client, tableName }: Table,
  update: Omit<UpdateCommandInput, 'TableName'>,
): Promise<boolean> {
  try {
    await client.send(new UpdateCommand({ TableName: tableName, ...update }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** The items of one page; with a cursor where there is a further one. */
export async function readPage(
  client: DynamoDBDocumentClient,
  command: QueryCommand | ScanCommand,
): Promise<{ items: Item[]; cursor?: string }> {
  const { Items = [], LastEvaluatedKey } = await client.send(command as QueryCommand);
  return { items: Items, ...(LastEvaluatedKey && { cursor: writeCursor(LastEvaluatedKey) }) };
}

/** Every page of a query, each read as it is taken. */
export async function* queryPages({ client, tableName }: Table, query: Omit<QueryCommandInput, 'TableName'>) {
  let after: Item | undefined;
  do {
    const page = await client.send(
      new QueryCommand({ TableName: tableName, ...query, ...(after && { ExclusiveStartKey: after }) }),
    );
    yield page;
    after = page.LastEvaluatedKey;
  } while (after !== undefined);
}

const keySchema = z.record(z.string(), z.union([z.string(), z.number()]));

/**
 * The part of a query or scan that asks for one page. A cursor is the JSON of the key that DynamoDB goes on from.
 *
 * @throws ConnectorError `CURSOR_INVALID` when the cursor is none that a page of ours came with
 */
export function pageOptions({ limit, cursor }: PageRequest = {}) {
  return {
    ...(limit !== undefined && { Limit: limit }),
    ...(cursor !== undefined && { ExclusiveStartKey: readCursor(cursor, keySchema) }),
  };
}

/** A position of a list as its cursor. */
export function writeCursor(position: Readonly<Item>): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * The position that a cursor was written of.
 *
 * @throws ConnectorError `CURSOR_INVALID` when it is of another form than `schema`
 */
export function readCursor<Position>(cursor: string, schema: z.ZodType<Position>): Position {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new ConnectorError('cursor: not one that a list of ours came with', {
      code: 'CURSOR_INVALID',
      cause,
    });
  }
}

const DAY_SECONDS = 24 * 60 * 60;

/** Value of a TTL attribute, epoch seconds, `days` after `now` (epoch ms). */
export function expiresAt(now: number, days: number): number {
  return Math.floor(now / 1000) + days * DAY_SECONDS;
}
