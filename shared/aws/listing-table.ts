import { randomUUID } from 'node:crypto';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import type { StoreListings } from '../imports/ports.ts';
import { listingStandingOf } from '../imports/rules/full-names.ts';
import { type Listing, listingSchema, newestStockVersion } from '../listings/model.ts';
import { pagedListings } from '../listings/pages/paged-listings.ts';
import type { ListingItems, ListingTable } from '../listings/ports.ts';
import { isEnded } from '../listings/rules/end-by-rename.ts';
import { nameOfTarget } from '../listings/rules/target.ts';
import { systemClock } from '../time/system-clock.ts';
import type { EpochMs } from '../time/times.ts';
import { deleteItem, getItems, type Table } from './items.ts';
import { partition, queryAll, queryPage, queryPages } from './query.ts';
import { versionedItems } from './versioned-items.ts';
import { createWaitingPageTable } from './waiting-table.ts';

/**
 * The Listings table, with one item per listing, whose key is `storeClientId` and `target` (`targetOf` in
 * ../listings/rules/target.ts), and the Waiting table, with the pages of waiting listings.
 */
export function createListingTable(
  client: DynamoDBDocumentClient,
  { listingsTable, waitingTable }: { readonly listingsTable: string; readonly waitingTable: string },
): ListingTable {
  return pagedListings({
    items: createListingItems({ client, tableName: listingsTable }),
    pages: createWaitingPageTable(client, waitingTable),
    clock: systemClock,
    newId: randomUUID,
  });
}

/** Targets in one page of a walk through a store's listings. */
const WALKED_PER_PAGE = 1_000;

/** The fields that a walk through a store's listings reads. */
const WALKED = {
  target: true,
  versionKind: true,
  desired: true,
  settled: true,
  live: true,
  createdAt: true,
  renamed: true,
} as const;
const walkedSchema = listingSchema.pick(WALKED);
type WalkedListing = Pick<Listing, keyof typeof WALKED>;

/** Goes through the listings of a store in the Listings table. */
export function createStoreListings(client: DynamoDBDocumentClient, tableName: string): StoreListings {
  return {
    stockPage: async (storeClientId, name, after) => {
      const query = new QueryCommand({
        TableName: tableName,
        ConsistentRead: true,
        ...partition('storeClientId', storeClientId, 'target', { beginsWith: `${name}:` }),
        ProjectionExpression: Object.keys(WALKED).join(', '),
        Limit: WALKED_PER_PAGE,
        ...(after !== undefined && { ExclusiveStartKey: { storeClientId, target: after } }),
      });
      const { Items = [], LastEvaluatedKey } = await client.send(query);
      const listings = Items.flatMap((item) => {
        const { target, versionKind, desired, ...answers } = walkedSchema.parse(item) as WalkedListing;
        if (isEnded({ desired, ...answers })) return [];
        const standing = listingStandingOf(answers);
        const newest = newestStockVersion({ desired });
        return { target, versionKind, newest, knownAt: answers.createdAt, standing };
      });
      return { listings, ...(LastEvaluatedKey && { next: String(LastEvaluatedKey.target) }) };
    },

    getMany: createListingItems({ client, tableName }).getMany,
  };
}

/** Most listings of a product. It has one for each name and for each variant. */
const MOST_OF_PRODUCT = 100;

function createListingItems(table: Table): ListingItems {
  const records = versionedItems({ ...table, read: (item) => listingSchema.parse(item) as Listing });

  return {
    get: (storeClientId, target) => records.get({ storeClientId, target }),

    getMany: async (storeClientId, targets, { mayBeStale = false } = {}) => {
      const keys = [...new Set(targets)].map((target) => ({ storeClientId, target }));
      const listings = (await getItems(table, keys, { consistent: !mayBeStale })).map(records.read);
      return new Map(listings.map((listing) => [listing.target, listing]));
    },

    listed: (storeClientId, targets) => listedAmong(table, storeClientId, targets),

    update: (storeClientId, target, ...change) => records.update({ storeClientId, target }, ...change),

    drop: (storeClientId, names, until) => dropIdle(table, storeClientId, names, until),

    remove: (storeClientId, target) => deleteItem(table, { storeClientId, target }),

    named: async (storeClientId, beginning, limit) => {
      const query = partition('storeClientId', storeClientId, 'target', { beginsWith: beginning });
      const { items } = await queryPage(table, query, { limit });
      return items.map(records.read);
    },

    ofProduct: async (productId) => {
      const query = { IndexName: 'byProductId', ...partition('productId', productId) };
      const { items: keys } = await queryPage(table, query, { limit: MOST_OF_PRODUCT });
      const items = await getItems(
        table,
        keys.map(({ storeClientId, target }) => ({ storeClientId, target })),
        { consistent: false },
      );
      return items.map(records.read);
    },

    list: async (storeClientId, page) => {
      const { items, ...rest } = await queryPage(table, partition('storeClientId', storeClientId), page);
      return { listings: items.map(records.read), ...rest };
    },

    targets: async (storeClientId) => {
      const ofStore = partition('storeClientId', storeClientId);
      const items = await queryAll(table, { ...ofStore, ProjectionExpression: 'target' });
      return items.map(({ target }) => String(target));
    },

    countPriced: async (storeClientId) => {
      let count = 0;
      const priced = queryPages(table, {
        Select: 'COUNT',
        ...partition('storeClientId', storeClientId),
        FilterExpression: 'attribute_exists(desired.price)',
      });
      for await (const page of priced) count += page.Count ?? 0;
      return count;
    },
  };
}

/** `listedAmong` queries at most one listing for this many targets. That costs far less than to read the targets one by one. */
const QUERIED_PER_LISTED = 4;

/**
 * The targets that have a listing. Strongly consistent. A query reads all listings from the first to the last target. If the products are
 * new, these are almost none, as new products usually are side by side. If the query finds many, the remaining targets are read one by
 * one.
 */
async function listedAmong(
  table: Table,
  storeClientId: string,
  targets: readonly string[],
): Promise<string[]> {
  const wanted = new Set(targets);
  const byName = [...Map.groupBy(wanted, nameOfTarget).values()];
  const found = await Promise.all(
    byName.map(async (ofName) => {
      const sorted = ofName.toSorted(byBytes);
      const [first = ''] = sorted;
      const { Items = [], LastEvaluatedKey } = await table.client.send(
        new QueryCommand({
          TableName: table.tableName,
          ...partition('storeClientId', storeClientId, 'target', { from: first, to: sorted.at(-1) ?? first }),
          ProjectionExpression: 'target',
          ConsistentRead: true,
          Limit: Math.ceil(sorted.length / QUERIED_PER_LISTED),
        }),
      );
      const between = Items.map(({ target }) => String(target)).filter((target) => wanted.has(target));
      if (LastEvaluatedKey === undefined) return between;
      const behind = sorted.filter((target) => byBytes(target, String(LastEvaluatedKey.target)) > 0);
      const items = await getItems(
        table,
        behind.map((target) => ({ storeClientId, target })),
      );
      return [...between, ...items.map(({ target }) => String(target))];
    }),
  );
  return found.flat();
}

/** DynamoDB's order of sort keys. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** When the listings of a name are dropped, this many are read and deleted at a time. */
const DROPPED_PER_PAGE = 500;
const DROP_CONCURRENCY = 25;

const IS_IDLE = {
  ConditionExpression: 'attribute_not_exists(#page)',
  ExpressionAttributeNames: { '#page': 'page' },
};

async function dropIdle(
  table: Table,
  storeClientId: string,
  names: readonly string[],
  until: EpochMs,
): Promise<boolean> {
  for (const name of names) {
    const named = queryPages(table, {
      ConsistentRead: true,
      ...partition('storeClientId', storeClientId, 'target', { beginsWith: `${name}:` }),
      ProjectionExpression: 'target',
      Limit: DROPPED_PER_PAGE,
    });
    for await (const { Items = [] } of named) {
      if (Date.now() >= until) return false;
      await forEachConcurrently(Items, DROP_CONCURRENCY, ({ target }) =>
        deleteItem(table, { storeClientId, target }, IS_IDLE),
      );
    }
  }
  return true;
}
