import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type LaneState, laneSchema } from '../lanes/model.ts';
import type { LaneTable } from '../lanes/ports.ts';
import { getItem, getItems } from './items.ts';
import { updateIf } from './update-if.ts';

/** The Lanes table: one item per store with its lease. Every write is one conditional update. */
export function createLaneTable(client: DynamoDBDocumentClient, tableName: string): LaneTable {
  const table = { client, tableName };
  const get = async (storeClientId: string) => {
    const item = await getItem(table, { storeClientId });
    return item && laneSchema.parse(item);
  };
  return {
    get,

    getMany: async (storeClientIds) => {
      const keys = storeClientIds.map((storeClientId) => ({ storeClientId }));
      const lanes = (await getItems(table, keys)).map((item) => laneSchema.parse(item));
      return new Map(lanes.map((lane) => [lane.storeClientId, lane]));
    },

    acquire: async (storeClientId, { leaseId, now, until }) => {
      const taken = await updateIf(
        table,
        { storeClientId },
        {
          set: { leaseId, leaseUntil: until },
          defaults: { dirty: 0 },
          where: [['leaseUntil', 'absent or <=', now]],
        },
      );
      if (taken !== undefined) return laneSchema.parse(taken);
      // If the SDK repeats a write, the condition fails although the lease is ours.
      const lane = await get(storeClientId);
      return lane?.leaseId === leaseId ? lane : undefined;
    },

    markDirty: async (storeClientId) => {
      await updateIf(table, { storeClientId }, { add: { dirty: 1 } });
    },

    extend: async (storeClientId, leaseId, until) => {
      const where = [
        ['leaseId', '=', leaseId],
        ['leaseUntil', '<', until],
      ] as const;
      if (await updateIf(table, { storeClientId }, { set: { leaseUntil: until }, where })) return true;
      const lane = await get(storeClientId);
      return lane?.leaseId === leaseId && (lane.leaseUntil ?? 0) >= until;
    },

    release: async (storeClientId, { leaseId, dirty, state }) => {
      const where = [
        ['leaseId', '=', leaseId] as const,
        ...(dirty === undefined ? [] : [['dirty', '=', dirty] as const]),
      ];
      const set = { leaseId: undefined, leaseUntil: undefined, ...(state && wholeOf(state)) };
      const released = await updateIf(table, { storeClientId }, { set, where });
      const lane = released ? undefined : await get(storeClientId);
      return lane?.leaseId === leaseId ? lane.dirty : undefined;
    },
  };
}

/** The state with each of its fields, so that an absent field is removed from the lane. */
function wholeOf({ waitsFor, oneAtATime, rowsAtMost, paused, tries }: LaneState) {
  return { waitsFor, oneAtATime, rowsAtMost, paused, tries };
}
