import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  ScanCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
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
import { cursorOf, pageOptions } from './page.ts';
import { namingRecord, readEach } from './read-record.ts';

const untoldSchema = z.object({ storeClientId: z.string(), untold: z.array(storeEventSchema) });

/** Keeps an event after those that the store keeps already. */
const keepEvent = 'untold = list_append(if_not_exists(untold, :none), :events)';

/** What a record that is put whole may lack. */
const optionalFacts = ['stateReason'] as const satisfies readonly (keyof Store)[];

/** What a record that is put whole keeps of the one that was there. */
const leftAsTheyAre = [
  'untold',
  'discardedAt',
  'renamingUntil',
  'formerName',
] as const satisfies readonly (keyof Store)[];

function removeOthers(store: Pick<Store, (typeof optionalFacts)[number]>): string {
  const others = optionalFacts.filter((name) => store[name] === undefined);
  return others.length === 0 ? '' : ` REMOVE ${others.join(', ')}`;
}

/** The Stores table: the only place where store tokens are kept. */
export function createStoreTable(client: DynamoDBDocumentClient, tableName: string): StoreTable {
  const readUntold = namingRecord(tableName, 'storeClientId', (item) => untoldSchema.parse(item));

  /** `false` when the condition does not hold. */
  const updateIf = async (update: Omit<UpdateCommandInput, 'TableName'>): Promise<boolean> => {
    try {
      await client.send(new UpdateCommand({ TableName: tableName, ...update }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };

  const get: StoreTable['get'] = async (storeClientId) => {
    const { Item } = await client.send(
      new GetCommand({ TableName: tableName, Key: { storeClientId }, ConsistentRead: true }),
    );
    return Item === undefined ? undefined : storeSchema.parse(Item);
  };

  const keeps = async (storeClientId: string, event: StoreEvent): Promise<boolean> => {
    const { untold = [] } = (await get(storeClientId)) ?? {};
    return untold.some((kept) => isDeepStrictEqual(kept, event));
  };

  const change = async (
    name: StoreTransitionName,
    { storeClientId, storeToken }: StoreCredentials,
    event: StoreEvent,
  ) => {
    const { from, to } = STORE_TRANSITIONS[name];
    const states = Object.fromEntries(from.map((state, index) => [`:from${index}`, state]));
    const isReasoned = 'reason' in event;
    const isChanged = await updateIf({
      Key: { storeClientId },
      UpdateExpression: `SET #state = :to, updatedAt = :at, ${keepEvent}${isReasoned ? ', stateReason = :reason' : ' REMOVE stateReason'}`,
      ConditionExpression: `#state IN (${Object.keys(states).join(', ')}) AND storeToken = :token`,
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: {
        ...states,
        ':to': to,
        ':at': event.at,
        ':token': storeToken,
        ':none': [],
        ':events': [event],
        ...(isReasoned ? { ':reason': event.reason } : {}),
      },
    });
    // The SDK repeats a write whose answer was lost, and what it wrote then fails the condition.
    return isChanged || keeps(storeClientId, event);
  };

  return {
    get,

    put: async ({ storeClientId, names, ...store }, event) => {
      const facts = Object.entries(store).filter(
        ([name, value]) => value !== undefined && !(leftAsTheyAre as readonly string[]).includes(name),
      );
      const sets = [...facts.keys()].map((index) => `#${index} = :${index}`);
      sets.push('#names = if_not_exists(#names, :names)');
      if (event !== undefined) sets.push(keepEvent);
      await client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: { storeClientId },
          UpdateExpression: `SET ${sets.join(', ')}${removeOthers(store)}`,
          ExpressionAttributeNames: {
            '#names': 'names',
            ...Object.fromEntries(facts.map(([name], index) => [`#${index}`, name])),
          },
          ExpressionAttributeValues: {
            ':names': names,
            ...Object.fromEntries(facts.map(([, value], index) => [`:${index}`, value])),
            ...(event === undefined ? {} : { ':none': [], ':events': [event] }),
          },
        }),
      );
    },

    suspend: (store, event) => change('suspend', store, event),
    resume: (store, event) => change('resume', store, event),
    unbind: (store, event) => change('unbind', store, event),

    forgetEvent: async (storeClientId, { at, detailType }) => {
      await updateIf({
        Key: { storeClientId },
        UpdateExpression: 'REMOVE untold[0]',
        ConditionExpression: 'untold[0].#at = :at AND untold[0].detailType = :detailType',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':at': at, ':detailType': detailType },
      });
    },

    listUntold: async (options) => {
      const page = await client.send(
        new ScanCommand({
          TableName: tableName,
          ConsistentRead: true,
          ProjectionExpression: 'storeClientId, untold',
          FilterExpression: 'attribute_exists(untold[0])',
          ...pageOptions(options),
        }),
      );
      const { readable, unreadable } = readEach(page.Items ?? [], readUntold);
      return { stores: readable, unreadable, ...cursorOf(page.LastEvaluatedKey) };
    },

    beginRenaming: async (storeClientId, { now, until }) => {
      const begun = await updateIf({
        Key: { storeClientId },
        UpdateExpression: 'SET renamingUntil = :until',
        ConditionExpression:
          'attribute_exists(storeClientId) AND (attribute_not_exists(renamingUntil) OR renamingUntil <= :now)',
        ExpressionAttributeValues: { ':now': now, ':until': until },
      });
      return begun;
    },

    endRenaming: async (storeClientId, until, change) => {
      const { names, formerName } = change ?? {};
      const sets = [...(names ? ['#names = :names'] : []), ...(formerName ? ['formerName = :former'] : [])];
      return updateIf({
        Key: { storeClientId },
        UpdateExpression: `${sets.length === 0 ? '' : `SET ${sets.join(', ')} `}REMOVE renamingUntil`,
        ConditionExpression: 'renamingUntil = :until',
        ...(names && { ExpressionAttributeNames: { '#names': 'names' } }),
        ExpressionAttributeValues: {
          ':until': until,
          ...(names && { ':names': names }),
          ...(formerName && { ':former': formerName }),
        },
      });
    },

    forgetFormerName: async (storeClientId, formerName) => {
      await updateIf({
        Key: { storeClientId },
        UpdateExpression: 'REMOVE formerName',
        ConditionExpression: 'formerName = :former',
        ExpressionAttributeValues: { ':former': formerName },
      });
    },

    discardCommands: async (storeClientId, at) => {
      await updateIf({
        Key: { storeClientId },
        UpdateExpression: 'SET discardedAt = :at',
        ConditionExpression: 'attribute_exists(storeClientId)',
        ExpressionAttributeValues: { ':at': at },
      });
    },

    list: async (options) => {
      const page = await client.send(new ScanCommand({ TableName: tableName, ...pageOptions(options) }));
      return {
        stores: (page.Items ?? []).map((item) => storeSchema.parse(item)),
        ...cursorOf(page.LastEvaluatedKey),
      };
    },
  };
}
