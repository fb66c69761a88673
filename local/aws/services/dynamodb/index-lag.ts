import type { AwsRequest } from '../../gateway/messages.ts';
import type { Backend } from '../backend.ts';
import { asRecord } from './access.ts';
import type { TableDefinition } from './table-definition.ts';

type Item = Readonly<Record<string, unknown>>;
type Forwarded = Pick<AwsRequest, 'method' | 'rawPath' | 'rawQuery' | 'headers' | 'body'>;

/**
 * Makes reads of global indexes lag: each table with global indexes gets a follower table. The follower receives every written item a
 * fixed time later, and answers queries of the indexes.
 */
export interface IndexLag {
  /** The request, redirected to the follower if it reads a global index. */
  redirect(operation: string, input: Item, request: Forwarded): Forwarded;
  /** Notes the items that a successful request wrote. */
  follow(operation: string, input: Item): Promise<void>;
  stop(): void;
}

export function createIndexLag(options: {
  backend: Backend;
  tables: ReadonlyMap<string, TableDefinition>;
  lagMs: number;
  onError: (error: unknown) => void;
}): IndexLag {
  const { backend, tables, lagMs } = options;
  const pending = new Set<NodeJS.Timeout>();

  async function followKey(table: TableDefinition, key: Item): Promise<void> {
    const { Item: image } = await backend.json<{ Item?: Item }>('DynamoDB_20120810.GetItem', {
      TableName: table.name,
      Key: key,
      ConsistentRead: true,
    });
    const timer = setTimeout(() => {
      pending.delete(timer);
      const change = image
        ? backend.json('DynamoDB_20120810.PutItem', { TableName: followerName(table.name), Item: image })
        : backend.json('DynamoDB_20120810.DeleteItem', { TableName: followerName(table.name), Key: key });
      change.catch(options.onError);
    }, lagMs);
    pending.add(timer);
  }

  return {
    redirect(operation, input, request) {
      const table = tables.get(String(input.TableName));
      const readsGlobalIndex =
        (operation === 'Query' || operation === 'Scan') &&
        table?.globalIndexes.includes(String(input.IndexName));
      if (!readsGlobalIndex || !table) return request;
      const body = Buffer.from(JSON.stringify({ ...input, TableName: followerName(table.name) }));
      const { 'content-length': _length, ...headers } = request.headers;
      return { ...request, headers, body };
    },
    async follow(operation, input) {
      for (const { tableName, key } of writtenKeys(operation, input, tables)) {
        const table = tables.get(tableName);
        if (table && table.globalIndexes.length > 0) await followKey(table, key);
      }
    },
    stop() {
      for (const timer of pending) clearTimeout(timer);
      pending.clear();
    },
  };
}

/** The name of the table that answers for a table's global indexes. */
export function followerName(table: string): string {
  return `${table}.lagging`;
}

function writtenKeys(
  operation: string,
  input: Item,
  tables: ReadonlyMap<string, TableDefinition>,
): { tableName: string; key: Item }[] {
  const keyOf = (tableName: string, item: unknown): Item => {
    const names = tables.get(tableName)?.keyAttributes ?? [];
    return Object.fromEntries(names.map((name) => [name, asRecord(item)[name]]));
  };
  if (operation === 'BatchWriteItem') {
    return Object.entries(asRecord(input.RequestItems)).flatMap(([tableName, requests]) =>
      (requests as Item[]).map((request) => {
        const put = asRecord(request.PutRequest).Item;
        return { tableName, key: keyOf(tableName, put ?? asRecord(request.DeleteRequest).Key) };
      }),
    );
  }
  const tableName = String(input.TableName);
  if (operation === 'PutItem') return [{ tableName, key: keyOf(tableName, input.Item) }];
  if (operation === 'UpdateItem' || operation === 'DeleteItem')
    return [{ tableName, key: keyOf(tableName, input.Key) }];
  return [];
}
