import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
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
import { getItem, type Item, type Table } from './items.ts';
import { scanPage } from './query.ts';
import { readEach, recordReader } from './records.ts';
import { type ItemUpdate, updateIf } from './update-if.ts';

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
      await update(table, storeClientId, {
        set: { 'unpublishedEvents[0]': undefined },
        where: [
          ['unpublishedEvents[0].at', '=', at],
          ['unpublishedEvents[0].detailType', '=', detailType],
        ],
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
      update(table, storeClientId, {
        set: { renamingUntil: until },
        where: [
          ['storeClientId', 'exists'],
          ['renamingUntil', 'absent or <=', now],
        ],
      }),

    endRenaming: (storeClientId, until, change) =>
      update(table, storeClientId, {
        set: { renamingUntil: undefined, ...change },
        where: [['renamingUntil', '=', until]],
      }),

    forgetFormerName: async (storeClientId, formerName) => {
      await update(table, storeClientId, {
        set: { formerName: undefined },
        where: [['formerName', '=', formerName]],
      });
    },

    setSettings: (storeClientId, settings) => {
      const given = Object.entries(settings).filter(([, value]) => value !== undefined);
      return setFields(
        table,
        storeClientId,
        Object.fromEntries(given.map(([name, value]) => [name, value ?? undefined])),
      );
    },
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

/** @returns `false` if a condition does not hold */
async function update(table: Table, storeClientId: string, change: ItemUpdate): Promise<boolean> {
  return (await updateIf(table, { storeClientId }, change)) !== undefined;
}

/** Sets attributes of an existing store. */
async function setFields(table: Table, storeClientId: string, set: Item): Promise<void> {
  await update(table, storeClientId, { set, where: [['storeClientId', 'exists']] });
}

/** Writes a store, and keeps the events, names and marks of an existing record. */
async function putStore(table: Table, store: Store, event: StoreEvent | undefined): Promise<void> {
  const {
    storeClientId,
    names,
    repair,
    numbers,
    negativeStock,
    unpublishedEvents,
    discardedAt,
    renamingUntil,
    formerName,
    ...facts
  } = store;
  await update(table, storeClientId, {
    set: { stateReason: undefined, ...facts },
    defaults: { names },
    ...(event && { append: { unpublishedEvents: [event] } }),
  });
}

async function changeState(
  table: Table,
  name: StoreTransitionName,
  { storeClientId, storeToken }: StoreCredentials,
  event: StoreEvent,
): Promise<boolean> {
  const { from, to } = STORE_TRANSITIONS[name];
  const isChanged = await update(table, storeClientId, {
    set: {
      state: to,
      updatedAt: event.at,
      stateReason: 'reason' in event ? event.reason : undefined,
    },
    append: { unpublishedEvents: [event] },
    where: [
      ['state', 'in', from],
      ['storeToken', '=', storeToken],
    ],
  });
  if (isChanged) return true;
  // After a lost answer the SDK retries the write, and the condition fails against our own first write.
  const { unpublishedEvents = [] } = (await getStore(table, storeClientId)) ?? {};
  return unpublishedEvents.some((kept) => isDeepStrictEqual(kept, event));
}
