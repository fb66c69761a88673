import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { mapConcurrently, READS_AT_A_TIME } from '../collections/for-each-concurrently.ts';
import {
  type Rejection,
  type RejectionKey,
  type RejectionQuery,
  type RejectionTable,
  rejectionSchema,
} from '../rejections/model.ts';
import { keyedRejections, keyText, listedWithoutStore } from '../rejections/rules/keys.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { deleteItems, expiresAt, type Item, putItems, type Table } from './items.ts';
import { partition, queryPage, queryPages } from './query.ts';

/** Most rejections listed of one command or event. */
const MOST_OF_SOURCE = 1_000;

/** Sorts before each time in a `rejectionId`. */
const BEGIN = '0';
/** Sorts after each time in a `rejectionId`. */
const END = '~';
/** DynamoDB allows 2,048 bytes for a partition key. No row with a longer name is ever sent. */
const MOST_KEY_BYTES = 2_000;

/**
 * The Rejections table. A rejection has an item in the partition of its store, and one more for each thing that it is about or comes
 * from, in a partition for store and thing. So it can be found without a global index, and right after the write. The global index
 * `bySource` has only the first item, by the rejected command, or else by the rejected event.
 */
export function createRejectionTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): RejectionTable {
  const table = { client, tableName };
  return {
    putAll: async (rejections, withdrawn = []) => {
      await putItems(
        table,
        itemsOf(rejections).map((item) => ({
          ...item,
          // `rejectedAt` is not used: it may be the time of a command, which may be long ago.
          expiresAt: expiresAt(Date.now(), keptDays),
        })),
      );
      const keys = itemsOf(withdrawn).map(({ storeClientId, rejectionId }) => ({
        storeClientId,
        rejectionId,
      }));
      await deleteItems(table, keys);
    },

    listOf: async (sourceId) => {
      const rejections: Rejection[] = [];
      const pages = queryPages(table, {
        IndexName: 'bySource',
        ...partition('sourceId', sourceId),
        Limit: MOST_OF_SOURCE,
      });
      for await (const { Items = [] } of pages) {
        rejections.push(...Items.map((item) => rejectionSchema.parse(item)));
        if (rejections.length >= MOST_OF_SOURCE) break;
      }
      return rejections.slice(0, MOST_OF_SOURCE);
    },

    list: async (storeClientId, { about, code, since, newestFirst = false, ...page } = {}) => {
      const range = since === undefined ? undefined : { from: since, to: END };
      const query = {
        ...ofCode(partition('storeClientId', partitionOf(storeClientId, about), 'rejectionId', range), code),
        ScanIndexForward: !newestFirst,
        ConsistentRead: true,
      };
      const { items, ...rest } = await queryPage(table, query, page);
      return { rejections: items.map((item) => rejectionSchema.parse({ ...item, storeClientId })), ...rest };
    },

    listOfStores: (storeClientIds, query) => newestOfStores(table, storeClientIds, query),
  };
}

/** The query with a filter by code, if one is given. */
function ofCode(query: ReturnType<typeof partition>, code: string | undefined) {
  if (code === undefined) return query;
  return {
    ...query,
    FilterExpression: '#code = :code',
    ExpressionAttributeNames: { ...query.ExpressionAttributeNames, '#code': 'code' },
    ExpressionAttributeValues: { ...query.ExpressionAttributeValues, ':code': code },
  };
}

/** The last rejection of a page. The rejections after it are older, or have the same ID in a later store. */
const positionSchema = z.object({ id: z.string(), store: z.string() });
type Position = z.infer<typeof positionSchema>;
/** Sorts after each store. */
const LAST_STORE = '\uFFFF';

function isAfter({ rejectionId, storeClientId }: Rejection, { id, store }: Position): boolean {
  return rejectionId < id || (rejectionId === id && storeClientId > store);
}

async function newestOfStores(
  table: Table,
  storeClientIds: readonly string[],
  { cursor, limit, ...query }: Parameters<RejectionTable['listOfStores']>[1],
): Promise<{ rejections: Rejection[]; cursor?: string }> {
  const from = cursor === undefined ? undefined : readCursor(cursor, positionSchema);
  const found = await mapConcurrently(storeClientIds, READS_AT_A_TIME, (store) =>
    newestOfStore(table, store, { ...query, limit, until: from?.id ?? END }),
  );
  // A store that was not read to its end may lack older rejections.
  const completeTo = found
    .flatMap(({ readBackTo = [] }) => readBackTo)
    .sort()
    .at(-1);
  const complete = found
    .flatMap(({ rejections }) => rejections)
    .filter((one) => (from === undefined || isAfter(one, from)) && one.rejectionId >= (completeTo ?? ''))
    .sort((a, b) => (isAfter(a, { id: b.rejectionId, store: b.storeClientId }) ? 1 : -1));
  const rejections = complete.slice(0, limit);
  const next = nextPosition(complete, rejections, completeTo);
  return { rejections, ...(next !== undefined && { cursor: writeCursor(next) }) };
}

function nextPosition(
  complete: readonly Rejection[],
  page: readonly Rejection[],
  completeTo: string | undefined,
): Position | undefined {
  const last = page.at(-1);
  if (last !== undefined && complete.length > page.length)
    return { id: last.rejectionId, store: last.storeClientId };
  return completeTo === undefined ? undefined : { id: completeTo, store: LAST_STORE };
}

/** The newest rejections of a store. `readBackTo`: the last examined ID, if there may be older rejections. */
async function newestOfStore(
  { client, tableName }: Table,
  storeClientId: string,
  { about, code, since = BEGIN, until, limit }: RejectionQuery & { until: string; limit: number },
): Promise<{ rejections: Rejection[]; readBackTo?: string }> {
  if (since > until) return { rejections: [] };
  const range = { from: since, to: until };
  const { Items = [], LastEvaluatedKey } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ...ofCode(partition('storeClientId', partitionOf(storeClientId, about), 'rejectionId', range), code),
      ScanIndexForward: false,
      // One more, as the last rejection of the previous page may be among them.
      Limit: limit + 1,
    }),
  );
  return {
    rejections: Items.map((item) => rejectionSchema.parse({ ...item, storeClientId })),
    ...(LastEvaluatedKey && { readBackTo: String(LastEvaluatedKey.rejectionId) }),
  };
}

/** The key has the length of the store's ID, so that a store with `#` in its ID can't get the partition of another store. */
function partitionOf(storeClientId: string, about: RejectionKey | undefined): string {
  return about === undefined
    ? storeClientId
    : `about#${storeClientId.length}#${storeClientId}#${keyText(about)}`;
}

/** The items of rejections, once each: DynamoDB refuses a batch write with the same key twice. */
function itemsOf(rejections: readonly Rejection[]): Item[] {
  const items = rejections.flatMap((rejection) => [
    itemOf(rejection),
    ...keyedItemsOf(rejection),
    // A rejection without a connected store is also listed under no store. These items have no source, so that `bySource` has it once.
    ...listedWithoutStore(rejection).flatMap((one) => [one, ...keyedItemsOf(one)]),
  ]);
  return [...new Map(items.map((item) => [`${item.storeClientId}\n${item.rejectionId}`, item])).values()];
}

function keyedItemsOf(of: Rejection): Item[] {
  return keyedRejections(of).flatMap(({ key, rejection }) => {
    const storeClientId = partitionOf(of.storeClientId, key);
    return Buffer.byteLength(storeClientId) > MOST_KEY_BYTES ? [] : [{ ...rejection, storeClientId }];
  });
}

function itemOf(rejection: Rejection): Item {
  const { commandId, eventId } = rejection;
  const sourceId = commandId ?? eventId;
  return { ...rejection, ...(sourceId !== undefined && { sourceId }) };
}
