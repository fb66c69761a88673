import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Listing, listingSchema } from '../listings/model.ts';
import type { ListingTable } from '../listings/ports.ts';
import { formatWaitingKey, JOINING_KEY, priorities, readyAt, waitingKey } from '../listings/rules/waiting.ts';
import { getItems } from './get-items.ts';
import { cursorOf, pageOptions } from './page.ts';
import {
  getVersionedItem,
  revisionOf,
  updateVersionedItem,
  type VersionedItemOptions,
} from './versioned-item.ts';

/** Name of the sparse local secondary index on `waiting`. */
const WAITING_INDEX = 'waiting';

/** Listings of each priority that are asked since when they wait. */
const ASKED_PER_PRIORITY = 100;

/** The Listings table: one item per store and target, with `waiting` only while something waits. */
export function createListingTable(client: DynamoDBDocumentClient, tableName: string): ListingTable {
  const revisions = new WeakMap<Listing, number>();
  const read = (item: Record<string, unknown>): Listing => {
    const listing = listingSchema.parse(item) as Listing;
    revisions.set(listing, revisionOf(item));
    return listing;
  };
  const optionsOf = (storeClientId: string, target: string): VersionedItemOptions<Listing> => ({
    client,
    tableName,
    key: { storeClientId, target },
    read,
    write: (listing) => ({ ...listing, waiting: waitingKey(listing) }),
  });
  const firstDue = async (storeClientId: string, priority: string) => {
    const page = await client.send(
      new QueryCommand({
        ...waitingQuery(tableName, storeClientId, `${priority}#`, `${priority}$`),
        Limit: 1,
      }),
    );
    return page.Items?.map(read)[0];
  };

  const oldestOf = async (storeClientId: string, priority: string) => {
    const page = await client.send(
      new QueryCommand({
        ...waitingQuery(tableName, storeClientId, `${priority}#`, `${priority}$`),
        ProjectionExpression: 'waitingSince',
        Limit: ASKED_PER_PRIORITY,
      }),
    );
    return Math.min(...(page.Items ?? []).flatMap((item) => item.waitingSince ?? []));
  };

  const hasTargetOf = async (storeClientId: string, kind: string) => {
    const page = await client.send(
      new QueryCommand({
        TableName: tableName,
        ConsistentRead: true,
        KeyConditionExpression: 'storeClientId = :store AND begins_with(target, :kind)',
        ExpressionAttributeValues: { ':store': storeClientId, ':kind': kind },
        ProjectionExpression: 'target',
        Limit: 1,
      }),
    );
    return (page.Items ?? []).length > 0;
  };

  return {
    get: async (storeClientId, target) => (await getVersionedItem(optionsOf(storeClientId, target)))?.value,

    getMany: async (storeClientId, targets) => {
      const keys = targets.map((target) => ({ storeClientId, target }));
      const items = await getItems(client, tableName, keys);
      return new Map(items.map(read).map((listing) => [listing.target, listing]));
    },

    update: (storeClientId, target, change, known) => {
      const options = optionsOf(storeClientId, target);
      if (known === undefined || known === 'none') return updateVersionedItem(options, change, known);
      const revision = revisions.get(known);
      const start = revision === undefined ? undefined : { value: known, revision };
      return updateVersionedItem(options, change, start);
    },

    waiting: async (storeClientId, { priority, dueBy, limit, after }) => {
      const page = await client.send(
        new QueryCommand({
          ...waitingQuery(tableName, storeClientId, `${priority}#`, formatWaitingKey(priority, dueBy)),
          ...pageOptions({ limit, cursor: after }),
        }),
      );
      const { cursor: next } = cursorOf(page.LastEvaluatedKey);
      return { listings: (page.Items ?? []).map(read), ...(next === undefined ? {} : { next }) };
    },

    joining: async (storeClientId) => {
      const found: Listing[] = [];
      let after: Record<string, unknown> | undefined;
      do {
        const page = await client.send(
          new QueryCommand({
            ...waitingQuery(tableName, storeClientId, JOINING_KEY, JOINING_KEY),
            ...(after === undefined ? {} : { ExclusiveStartKey: after }),
          }),
        );
        found.push(...(page.Items ?? []).map(read));
        after = page.LastEvaluatedKey;
      } while (after !== undefined);
      return found;
    },

    countPriced: async (storeClientId) => {
      let count = 0;
      let after: Record<string, unknown> | undefined;
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: tableName,
            Select: 'COUNT',
            KeyConditionExpression: 'storeClientId = :store',
            FilterExpression: 'attribute_exists(desired.price)',
            ExpressionAttributeValues: { ':store': storeClientId },
            ...(after === undefined ? {} : { ExclusiveStartKey: after }),
          }),
        );
        count += page.Count ?? 0;
        after = page.LastEvaluatedKey;
      } while (after !== undefined);
      return count;
    },

    hasSeveralNames: async (storeClientId) => {
      const kinds = await Promise.all(
        ['sku:', 'id:', 'externalId:'].map((kind) => hasTargetOf(storeClientId, kind)),
      );
      return kinds.filter(Boolean).length > 1;
    },

    nextDue: async (storeClientId, among = Object.values(priorities)) => {
      const firsts = await Promise.all(among.map((priority) => firstDue(storeClientId, String(priority))));
      const times = firsts.flatMap((listing) => (listing === undefined ? [] : [readyAt(listing)]));
      return times.length === 0 ? undefined : Math.min(...times);
    },

    waitingSince: async (storeClientId, among = Object.values(priorities)) => {
      const oldest = await Promise.all(among.map((priority) => oldestOf(storeClientId, String(priority))));
      const since = Math.min(...oldest);
      return since === Number.POSITIVE_INFINITY ? undefined : since;
    },
  };
}

/** Strongly consistent, in the order of the index. */
function waitingQuery(tableName: string, storeClientId: string, from: string, to: string) {
  return {
    TableName: tableName,
    IndexName: WAITING_INDEX,
    ConsistentRead: true,
    KeyConditionExpression: 'storeClientId = :store AND waiting BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':store': storeClientId, ':from': from, ':to': to },
  };
}
