import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { StoreCredentials } from '../marketplace/request.ts';
import {
  STORE_TRANSITIONS,
  type Store,
  type StoreEvent,
  type StoreTransitionName,
  storeEventSchema,
  storeSchema,
} from '../stores/model.ts';
import type { StoreTable } from '../stores/ports.ts';
import { getItem, type Item, scanPage, type Table, updateIf } from './items.ts';
import { readEach, recordReader } from './records.ts';

const unpublishedSchema = z.object({
  storeClientId: z.string(),
  unpublishedEvents: z.array(storeEventSchema),
});

/** The Stores table: the only place where store tokens are kept. */
export function createStoreTable(client: DynamoDBDocumentClient, tableName: string): StoreTable {
  const table = { client, tableName };
  const readUnpublished = recordReader(tableName, 'storeClientId', (item) => unpublishedSchema.parse(item));

  return {
    get: (storeClientId) => getStore(table, storeClientId),
    put: (store, event) => putStore(table, store, event),
    suspend: (store, event) => changeState(table, 'suspend', store, event),
    resume: (store, event) => changeState(table, 'resume', store, event),
    unbind: (store, event) => changeState(table, 'unbind', store, event),

    forgetEvent: async (storeClientId, { at, detailType }) => {
      await updateIf(table, {
        Key: { storeClientId },
        UpdateExpression: 'REMOVE unpublishedEvents[0]',
        ConditionExpression:
          'unpublishedEvents[0].#at = :at AND unpublishedEvents[0].detailType = :detailType',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':at': at, ':detailType': detailType },
      });
    },

    listUnpublished: async (options) => {
      const scan = {
        ConsistentRead: true,
        ProjectionExpression: 'storeClientId, unpublishedEvents',
        FilterExpression: 'attribute_exists(unpublishedEvents[0])',
      };
      const { items, ...rest } = await scanPage(table, scan, options);
      const { readable, unreadable } = readEach(items, readUnpublished);
      return { stores: readable, unreadable, ...rest };
    },

    beginRenaming: (storeClientId, { now, until }) =>
      updateStore(table, storeClientId, {
        fields: { renamingUntil: until },
        condition:
          'attribute_exists(storeClientId) AND (attribute_not_exists(renamingUntil) OR renamingUntil <= :now)',
        values: { ':now': now },
      }),

    endRenaming: (storeClientId, until, change) =>
      updateStore(table, storeClientId, {
        fields: { renamingUntil: undefined, ...change },
        condition: 'renamingUntil = :until',
        values: { ':until': until },
      }),

    forgetFormerName: async (storeClientId, formerName) => {
      await updateStore(table, storeClientId, {
        fields: { formerName: undefined },
        condition: 'formerName = :former',
        values: { ':former': formerName },
      });
    },

    setRepair: (storeClientId, repair) => setFields(table, storeClientId, { repair }),
    discardCommands: (storeClientId, at) => setFields(table, storeClientId, { discardedAt: at }),

    list: async (options) => {
      const { items, ...rest } = await scanPage(table, {}, options);
      return { stores: items.map((item) => storeSchema.parse(item)), ...rest };
    },
  };
}

async function getStore(table: Table, storeClientId: string): Promise<Store | undefined> {
  const item = await getItem(table, { storeClientId });
  return item && storeSchema.parse(item);
}

/** Sets attributes of an existing store. */
async function setFields(table: Table, storeClientId: string, fields: Item): Promise<void> {
  await updateStore(table, storeClientId, { fields, condition: 'attribute_exists(storeClientId)' });
}

/** Keeps the events, names and marks of an existing record. */
async function putStore(table: Table, store: Store, event: StoreEvent | undefined): Promise<void> {
  const {
    storeClientId,
    names,
    repair,
    unpublishedEvents,
    discardedAt,
    renamingUntil,
    formerName,
    ...facts
  } = store;
  await updateStore(table, storeClientId, {
    fields: { stateReason: undefined, ...facts },
    defaults: { names },
    event,
  });
}

async function changeState(
  table: Table,
  name: StoreTransitionName,
  { storeClientId, storeToken }: StoreCredentials,
  event: StoreEvent,
): Promise<boolean> {
  const { from, to } = STORE_TRANSITIONS[name];
  const states = Object.fromEntries(from.map((state, index) => [`:from${index}`, state]));
  const stateReason = 'reason' in event ? event.reason : undefined;
  const isChanged = await updateStore(table, storeClientId, {
    fields: { state: to, updatedAt: event.at, stateReason },
    condition: `#state IN (${Object.keys(states).join(', ')}) AND storeToken = :token`,
    values: { ...states, ':token': storeToken },
    event,
  });
  if (isChanged) return true;
  // After a lost answer the SDK retries the write, and the condition fails against our own first write.
  const { unpublishedEvents = [] } = (await getStore(table, storeClientId)) ?? {};
  return unpublishedEvents.some((kept) => isDeepStrictEqual(kept, event));
}

interface StoreUpdate {
  /** New values of attributes, with the placeholders `#attribute` and `:attribute`. `undefined` removes an attribute. */
  readonly fields: Item;
  /** Values of attributes that the item does not have yet. */
  readonly defaults?: Item;
  readonly condition?: string;
  /** Further values, for the condition. */
  readonly values?: Item;
  /** An event to append to the store's unpublished ones. */
  readonly event?: StoreEvent | undefined;
}

/** @returns `false` if the condition does not hold. */
async function updateStore(table: Table, storeClientId: string, update: StoreUpdate): Promise<boolean> {
  const { fields, defaults = {}, condition, values, event } = update;
  const given = Object.entries({ ...fields, ...defaults });
  const kept = given.filter(([, value]) => value !== undefined);
  const removed = given.filter(([, value]) => value === undefined);
  const sets = kept.map(([name]) =>
    name in defaults ? `#${name} = if_not_exists(#${name}, :${name})` : `#${name} = :${name}`,
  );
  if (event !== undefined)
    sets.push('unpublishedEvents = list_append(if_not_exists(unpublishedEvents, :none), :events)');
  const clauses = [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}`] : []),
  ];
  const updated = await updateIf(table, {
    Key: { storeClientId },
    UpdateExpression: clauses.join(' '),
    ...(condition !== undefined && { ConditionExpression: condition }),
    ExpressionAttributeNames: Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(kept.map(([name, value]) => [`:${name}`, value])),
      ...(event !== undefined && { ':none': [], ':events': [event] }),
    },
  });
  return updated !== undefined;
}
