import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import { type Listing, listingSchema } from '../listings/model.ts';
import type { ListingTable } from '../listings/ports.ts';
import { formatWaitingKey, priorities, readyAt, waitingKey } from '../listings/rules/waiting.ts';
import { cursorOf, pageOptions } from './page.ts';
import { getItems } from './until-processed.ts';
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

/** Listings found by one call when they are dropped, and deleted at a time. */
const DROPPED_PER_PAGE = 500;
const DROP_CONCURRENCY = 25;

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

  const remove = async (storeClientId: string, target: string, { onlyIfIdle = false } = {}) => {
    const condition = onlyIfIdle ? { ConditionExpression: 'attribute_not_exists(waiting)' } : {};
    try {
      await client.send(
        new DeleteCommand({ TableName: tableName, Key: { storeClientId, target }, ...condition }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
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

    drop: async (storeClientId, names, until) => {
      for (const name of names) {
        let after: Record<string, unknown> | undefined;
        do {
          if (Date.now() >= until) return false;
          const page = await client.send(
            new QueryCommand({
              TableName: tableName,
              ConsistentRead: true,
              KeyConditionExpression: 'storeClientId = :store AND begins_with(target, :name)',
              ExpressionAttributeValues: { ':store': storeClientId, ':name': `${name}:` },
              ProjectionExpression: 'target',
              Limit: DROPPED_PER_PAGE,
              ...(after === undefined ? {} : { ExclusiveStartKey: after }),
            }),
          );
          await forEachConcurrently(page.Items ?? [], DROP_CONCURRENCY, ({ target }) =>
            remove(storeClientId, String(target), { onlyIfIdle: true }),
          );
          after = page.LastEvaluatedKey;
        } while (after !== undefined);
      }
      return true;
    },

    remove: (storeClientId, target) => remove(storeClientId, target),

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
