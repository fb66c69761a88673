import { hash } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { AT_A_TIME, forEachConcurrently } from '../collections/for-each-concurrently.ts';
import { type Drift, driftSchema, type ShownPage, shownPageSchema } from '../drift/model.ts';
import type { DriftTable } from '../drift/ports.ts';
import { deleteItem, deleteItemIf, type Item, putItem } from './items.ts';
import { partition, queryAll, queryPage } from './query.ts';
import { packed, unpacked } from './records.ts';
import { versionedItems } from './versioned-items.ts';

/** The kind of an item is the beginning of its sort key. */
const DRIFT = 'drift#';
const PAGE = 'page#';
/** The index has only this partition: few drifts are contested, and a drift leaves the index when a person has decided. */
const CONTESTED = 'yes';

/**
 * The Drift table: the drifts of listings and the pages that a cycle has read, by store. Its sparse global index `contested`
 * has the drifts with a contested register.
 */
export function createDriftTable(client: DynamoDBDocumentClient, tableName: string): DriftTable {
  const table = { client, tableName };
  const drifts = versionedItems<Drift>({ ...table, read: readDrift, write: writeDrift });
  const keyOf = (storeClientId: string, target: string) => ({ storeClientId, entry: driftEntry(target) });

  return {
    update: (storeClientId, target, change) => drifts.update(keyOf(storeClientId, target), change),

    remove: (known) =>
      deleteItemIf(table, keyOf(known.storeClientId, known.target), drifts.isUnchanged(known)),

    ofStore: async (storeClientId) => {
      const items = await queryAll(table, { ...entries(storeClientId, DRIFT), ConsistentRead: true });
      return new Map(items.map(drifts.read).map((drift) => [drift.target, drift]));
    },

    list: async (storeClientId, page) => {
      const { items, ...rest } = await queryPage(table, entries(storeClientId, DRIFT), page);
      return { drifts: items.map(readDrift), ...rest };
    },

    listContested: async (page) => {
      const query = { IndexName: 'contested', ...partition('contested', CONTESTED) };
      const { items, ...rest } = await queryPage(table, query, page);
      return { drifts: items.map(readDrift), ...rest };
    },

    putPage: async (storeClientId, page) => {
      const item = { storeClientId, entry: entryOf(page), ...packed(page, ['targets', 'unknown']) };
      await putItem(table, item, notLaterThan(page));
    },

    pagesOf: async (storeClientId) => {
      const items = await queryAll(table, { ...entries(storeClientId, PAGE), ConsistentRead: true });
      return items.map(readShownPage);
    },

    listPages: async (storeClientId, page) => {
      const { items, ...rest } = await queryPage(table, entries(storeClientId, PAGE), page);
      return { pages: items.map(readShownPage), ...rest };
    },

    removePages: (storeClientId, pages) =>
      forEachConcurrently(pages, AT_A_TIME, (page) =>
        deleteItem(table, { storeClientId, entry: entryOf(page) }, notLaterThan(page)),
      ),
  };
}

/** DynamoDB's limit of a sort key. A target alone may be this long. */
const MAX_ENTRY_BYTES = 1_024;

function driftEntry(target: string): string {
  const entry = `${DRIFT}${target}`;
  return Buffer.byteLength(entry) <= MAX_ENTRY_BYTES ? entry : `${DRIFT}${hash('sha256', target)}`;
}

function entryOf({ list, page }: ShownPage): string {
  return `${PAGE}${list}#${String(page).padStart(6, '0')}`;
}

/** The condition that a page of a later cycle is not replaced by a late run. */
function notLaterThan({ cycle }: ShownPage) {
  return {
    ConditionExpression: 'attribute_not_exists(#cycle) OR #cycle <= :cycle',
    ExpressionAttributeNames: { '#cycle': 'cycle' },
    ExpressionAttributeValues: { ':cycle': cycle },
  };
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

/** The query of the items of one kind. */
function entries(storeClientId: string, kind: string) {
  return partition('storeClientId', storeClientId, 'entry', { beginsWith: kind });
}
