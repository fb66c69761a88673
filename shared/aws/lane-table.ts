import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { laneSchema } from '../lanes/model.ts';
import type { LaneTable } from '../lanes/ports.ts';
import { cursorOf, pageOptions } from './page.ts';

/** Reads and writes of one item; `update` is `false` where its condition does not hold. */
function laneItems(client: DynamoDBDocumentClient, tableName: string) {
  return {
    get: async (storeClientId: string) => {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: { storeClientId }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : laneSchema.parse(Item);
    },

    update: async (
      storeClientId: string,
      { update, condition, values }: { update: string; condition?: string; values: Record<string, unknown> },
    ): Promise<boolean> => {
      try {
        await client.send(
          new UpdateCommand({
            TableName: tableName,
            Key: { storeClientId },
            UpdateExpression: update,
            ExpressionAttributeValues: values,
            ...(condition && { ConditionExpression: condition }),
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
  };
}

/** The Lanes table: one item per store with its lease. Every write is one conditional update. */
export function createLaneTable(client: DynamoDBDocumentClient, tableName: string): LaneTable {
  const ensured = new Set<string>();
  const { get, update } = laneItems(client, tableName);

  return {
    get,

    ensure: async (storeClientId) => {
      if (ensured.has(storeClientId)) return;
      await update(storeClientId, {
        update: 'SET dirty = if_not_exists(dirty, :none)',
        values: { ':none': 0 },
      });
      ensured.add(storeClientId);
    },

    acquire: async (storeClientId, { leaseId, now, until }) => {
      await update(storeClientId, {
        update: 'SET leaseId = :id, leaseUntil = :until, dirty = if_not_exists(dirty, :none)',
        condition: 'attribute_not_exists(leaseUntil) OR leaseUntil <= :now',
        values: { ':id': leaseId, ':until': until, ':now': now, ':none': 0 },
      });
      // Read in both cases: a repeat of our own lost answer fails the condition although the lease is ours.
      const lane = await get(storeClientId);
      return lane?.leaseId === leaseId ? lane : undefined;
    },

    markDirty: async (storeClientId) => {
      await update(storeClientId, { update: 'ADD dirty :one', values: { ':one': 1 } });
    },

    extend: async (storeClientId, leaseId, until) => {
      const extended = await update(storeClientId, {
        update: 'SET leaseUntil = :until',
        condition: 'leaseId = :id AND leaseUntil < :until',
        values: { ':id': leaseId, ':until': until },
      });
      if (extended) return true;
      const lane = await get(storeClientId);
      return lane?.leaseId === leaseId && (lane.leaseUntil ?? 0) >= until;
    },

    release: async (storeClientId, { leaseId, dirty }) => {
      const released = await update(storeClientId, {
        update: 'REMOVE leaseId, leaseUntil',
        condition: 'leaseId = :id AND dirty = :dirty',
        values: { ':id': leaseId, ':dirty': dirty },
      });
      if (released) return 'released';
      return (await get(storeClientId))?.leaseId === leaseId ? 'dirty' : 'lost';
    },

    remember: async (storeClientId, state) => {
      const { waitsFor, oneAtATime, rowsAtMost } = state;
      const fields = Object.entries({ waitsFor, oneAtATime, rowsAtMost });
      const kept = fields.filter(([, value]) => value !== undefined);
      const removed = fields.filter(([, value]) => value === undefined).map(([name]) => name);
      const sets = ['dirty = if_not_exists(dirty, :none)', ...kept.map(([name]) => `${name} = :${name}`)];
      await update(storeClientId, {
        update: `SET ${sets.join(', ')}${removed.length === 0 ? '' : ` REMOVE ${removed.join(', ')}`}`,
        values: { ':none': 0, ...Object.fromEntries(kept.map(([name, value]) => [`:${name}`, value])) },
      });
    },

    list: async (options) => {
      const page = await client.send(
        new ScanCommand({ TableName: tableName, ConsistentRead: true, ...pageOptions(options) }),
      );
      return {
        lanes: (page.Items ?? []).map((item) => laneSchema.parse(item)),
        ...cursorOf(page.LastEvaluatedKey),
      };
    },
  };
}
