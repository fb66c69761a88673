import {
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { PageRequest } from '../collections/page-request.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Item, Table } from './items.ts';

export type Query = Omit<QueryCommandInput, 'TableName'>;
type Scan = Omit<ScanCommandInput, 'TableName'>;

/** A range of a sort key. */
type Range =
  | { readonly beginsWith: string }
  | { readonly below: string }
  | { readonly from: string; readonly to: string };

/** The part of a query that selects a partition of a table or an index. Default: all items of the partition. */
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

/** Items of a table, and the cursor of the next page if there is one. */
interface ItemPage {
  readonly items: Item[];
  readonly cursor?: string;
}

/** The items of one page of a query. */
export async function queryPage(
  { client, tableName }: Table,
  query: Query,
  page?: PageRequest,
): Promise<ItemPage> {
  const command = new QueryCommand({ TableName: tableName, ...query, ...pageOptions(page) });
  return itemPageOf(await client.send(command));
}

/** The items of one page of a scan. */
export async function scanPage(
  { client, tableName }: Table,
  scan: Scan,
  page?: PageRequest,
): Promise<ItemPage> {
  const command = new ScanCommand({ TableName: tableName, ...scan, ...pageOptions(page) });
  return itemPageOf(await client.send(command));
}

function itemPageOf({ Items = [], LastEvaluatedKey }: QueryCommandOutput | ScanCommandOutput): ItemPage {
  return { items: Items, ...(LastEvaluatedKey && { cursor: writeCursor(LastEvaluatedKey) }) };
}

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
