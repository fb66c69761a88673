import { hash } from 'node:crypto';
import { DeleteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import { type Drift, driftSchema, type ShownPage, shownPageSchema } from '../drift/model.ts';
import type { DriftTable } from '../drift/ports.ts';
import { type Item, partition, putItems, queryAll, queryPage, type Table, versionedItems } from './items.ts';
import { packed, unpacked } from './records.ts';

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
  const keyOf = (storeClientId: string, target: string) => ({ storeClientId, entry: driftEntry(target) });

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
      const { items, ...rest } = await queryPage(table, entriesQuery(storeClientId, DRIFT), page);
      return { drifts: items.map(readDrift), ...rest };
    },

    listContested: async (page) => {
      const query = { IndexName: 'contested', ...partition('contested', CONTESTED) };
      const { items, ...rest } = await queryPage(table, query, page);
      return { drifts: items.map(readDrift), ...rest };
    },

    putPage: (storeClientId, page) =>
      putItems(table, [{ storeClientId, entry: entryOf(page), ...packed(page, ['targets', 'unknown']) }]),

    pagesOf: async (storeClientId) => (await entries(table, storeClientId, PAGE)).map(readShownPage),

    listPages: async (storeClientId, page) => {
      const { items, ...rest } = await queryPage(table, entriesQuery(storeClientId, PAGE), page);
      return { pages: items.map(readShownPage), ...rest };
    },

    removePages: (storeClientId, pages) =>
      forEachConcurrently(pages, DELETE_CONCURRENCY, async (page) => {
        const Key = { storeClientId, entry: entryOf(page) };
        await client.send(new DeleteCommand({ TableName: tableName, Key }));
      }),
  };
}

/** DynamoDB's limit of a sort key. A target may be as long. */
const MAX_ENTRY_BYTES = 1_024;

function driftEntry(target: string): string {
  const entry = `${DRIFT}${target}`;
  return Buffer.byteLength(entry) <= MAX_ENTRY_BYTES ? entry : `${DRIFT}${hash('sha256', target)}`;
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
function entries(table: Table, storeClientId: string, prefix: string): Promise<Item[]> {
  return queryAll(table, { ...entriesQuery(storeClientId, prefix), ConsistentRead: true });
}
