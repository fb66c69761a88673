import { DeleteCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import type { PageRequest } from '../collections/page-request.ts';
import { type Drift, driftSchema, type ShownPage, shownPageSchema } from '../drift/model.ts';
import type { DriftTable } from '../drift/ports.ts';
import {
  type Item,
  packed,
  pageOptions,
  putItems,
  queryPages,
  readPage,
  type Table,
  unpacked,
  versionedItems,
} from './items.ts';

/** What an item is: the beginning of its sort key. */
const DRIFT = 'drift#';
const PAGE = 'page#';
/** One partition is enough: few drifts are contested, and they leave the index when a person has decided. */
const CONTESTED = 'yes';
const DELETE_CONCURRENCY = 10;

/**
 * The Drift table: the drifts of listings and the pages that a cycle has read, by store. Its sparse global index `contested`
 * has the drifts with a contested register.
 */
export function createDriftTable(client: DynamoDBDocumentClient, tableName: string): DriftTable {
  const table = { client, tableName };
  const drifts = versionedItems<Drift>({ client, tableName, read: readDrift, write: writeDrift });
  const keyOf = (storeClientId: string, target: string) => ({ storeClientId, entry: `${DRIFT}${target}` });

  return {
    update: (storeClientId, target, change) => drifts.update(keyOf(storeClientId, target), change),

    remove: async (storeClientId, target) => {
      await client.send(new DeleteCommand({ TableName: tableName, Key: keyOf(storeClientId, target) }));
    },

    ofStore: async (storeClientId) => {
      const items = await entries(table, storeClientId, DRIFT);
      return new Map(items.map(readDrift).map((drift) => [drift.target, drift]));
    },

    list: async (storeClientId, page) => {
      const { items, ...rest } = await listEntries(table, storeClientId, DRIFT, page);
      return { drifts: items.map(readDrift), ...rest };
    },

    listContested: async (page) => {
      const query = new QueryCommand({
        TableName: tableName,
        IndexName: 'contested',
        KeyConditionExpression: 'contested = :contested',
        ExpressionAttributeValues: { ':contested': CONTESTED },
        ...pageOptions(page),
      });
      const { items, ...rest } = await readPage(client, query);
      return { drifts: items.map(readDrift), ...rest };
    },

    putPage: (storeClientId, page) =>
      putItems(table, [{ storeClientId, entry: entryOf(page), ...packed(page, ['targets', 'unknown']) }]),

    pagesOf: async (storeClientId) => (await entries(table, storeClientId, PAGE)).map(readShownPage),

    listPages: async (storeClientId, page) => {
      const { items, ...rest } = await listEntries(table, storeClientId, PAGE, page);
      return { pages: items.map(readShownPage), ...rest };
    },

    removePages: (storeClientId, pages) =>
      forEachConcurrently(pages, DELETE_CONCURRENCY, async (page) => {
        const Key = { storeClientId, entry: entryOf(page) };
        await client.send(new DeleteCommand({ TableName: tableName, Key }));
      }),
  };
}

function entryOf({ list, page }: ShownPage): string {
  return `${PAGE}${list}#${String(page).padStart(6, '0')}`;
}

function readDrift(item: Item): Drift {
  return driftSchema.parse(item);
}

function writeDrift(drift: Drift): Item {
  const times = Object.values(drift.registers).flatMap((register) => register?.contestedSince ?? []);
  const [since] = times.sort();
  return { ...drift, ...(since !== undefined && { contested: CONTESTED, contestedSince: since }) };
}

function readShownPage(item: Item): ShownPage {
  return shownPageSchema.parse(unpacked(item));
}

function entriesQuery(storeClientId: string, prefix: string) {
  return {
    KeyConditionExpression: 'storeClientId = :store AND begins_with(#entry, :prefix)',
    ExpressionAttributeNames: { '#entry': 'entry' },
    ExpressionAttributeValues: { ':store': storeClientId, ':prefix': prefix },
  };
}

/** Strongly consistent. */
async function entries(table: Table, storeClientId: string, prefix: string): Promise<Item[]> {
  const found: Item[] = [];
  const pages = queryPages(table, { ...entriesQuery(storeClientId, prefix), ConsistentRead: true });
  for await (const { Items = [] } of pages) found.push(...Items);
  return found;
}

function listEntries(
  { client, tableName }: Table,
  storeClientId: string,
  prefix: string,
  page?: PageRequest,
) {
  const query = { TableName: tableName, ...entriesQuery(storeClientId, prefix), ...pageOptions(page) };
  return readPage(client, new QueryCommand(query));
}
