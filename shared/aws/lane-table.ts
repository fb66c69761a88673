import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Lane, laneSchema } from '../lanes/model.ts';
import type { LaneTable } from '../lanes/ports.ts';
import { getItem, getItems, type Item, type Table, updateIf } from './items.ts';

/** The Lanes table: one item per store with its lease. Every write is one conditional update. */
export function createLaneTable(client: DynamoDBDocumentClient, tableName: string): LaneTable {
  const table = { client, tableName };

  return {
    get: (storeClientId) => getLane(table, storeClientId),

    getMany: async (storeClientIds) => {
      const items = await getItems(
        table,
        storeClientIds.map((storeClientId) => ({ storeClientId })),
      );
      const lanes = items.map((item) => laneSchema.parse(item));
      return new Map(lanes.map((lane) => [lane.storeClientId, lane]));
    },

    acquire: async (storeClientId, { leaseId, now, until }) => {
      const taken = await update(table, storeClientId, {
        update: 'SET leaseId = :id, leaseUntil = :until, dirty = if_not_exists(dirty, :none)',
        condition: 'attribute_not_exists(leaseUntil) OR leaseUntil <= :now',
        values: { ':id': leaseId, ':until': until, ':now': now, ':none': 0 },
      });
      if (taken !== undefined) return laneSchema.parse(taken);
      // A write that the SDK repeats fails its condition although the lease is ours.
      const lane = await getLane(table, storeClientId);
      return lane?.leaseId === leaseId ? lane : undefined;
    },

    markDirty: async (storeClientId) => {
      await update(table, storeClientId, { update: 'ADD dirty :one', values: { ':one': 1 } });
    },

    extend: async (storeClientId, leaseId, until) => {
      const extended = await update(table, storeClientId, {
        update: 'SET leaseUntil = :until',
        condition: 'leaseId = :id AND leaseUntil < :until',
        values: { ':id': leaseId, ':until': until },
      });
      if (extended) return true;
      const lane = await getLane(table, storeClientId);
      return lane?.leaseId === leaseId && (lane.leaseUntil ?? 0) >= until;
    },

    release: async (storeClientId, { leaseId, dirty }) => {
      const released = await update(table, storeClientId, {
        update: 'REMOVE leaseId, leaseUntil',
        condition: `leaseId = :id${dirty === undefined ? '' : ' AND dirty = :dirty'}`,
        values: { ':id': leaseId, ...(dirty !== undefined && { ':dirty': dirty }) },
      });
      const lane = released ? undefined : await getLane(table, storeClientId);
      return lane?.leaseId === leaseId ? lane.dirty : undefined;
    },

    remember: async (storeClientId, state) => {
      const { waitsFor, oneAtATime, rowsAtMost, paused } = state;
      const fields = Object.entries({ waitsFor, oneAtATime, rowsAtMost, paused });
      const kept = fields.filter(([, value]) => value !== undefined);
      const removed = fields.filter(([, value]) => value === undefined).map(([name]) => name);
      const sets = ['dirty = if_not_exists(dirty, :none)', ...kept.map(([name]) => `${name} = :${name}`)];
      await update(table, storeClientId, {
        update: `SET ${sets.join(', ')}${removed.length === 0 ? '' : ` REMOVE ${removed.join(', ')}`}`,
        values: { ':none': 0, ...Object.fromEntries(kept.map(([name, value]) => [`:${name}`, value])) },
      });
    },
  };
}

async function getLane(table: Table, storeClientId: string): Promise<Lane | undefined> {
  const item = await getItem(table, { storeClientId });
  return item && laneSchema.parse(item);
}

/** @returns the lane; `undefined` if the condition does not hold */
function update(
  table: Table,
  storeClientId: string,
  expression: { update: string; condition?: string; values: Item },
): Promise<Item | undefined> {
  return updateIf(table, {
    Key: { storeClientId },
    ReturnValues: 'ALL_NEW',
    UpdateExpression: expression.update,
    ExpressionAttributeValues: expression.values,
    ...(expression.condition !== undefined && { ConditionExpression: expression.condition }),
  });
}
