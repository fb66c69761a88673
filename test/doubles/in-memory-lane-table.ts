import type { Lane } from '../../shared/lanes/model.ts';
import type { LaneTable } from '../../shared/lanes/ports.ts';
import { directly, type Step } from './step.ts';

/** The Lanes table in memory; tables over the same `lanes` are one table. */
export function inMemoryLaneTable(step: Step = directly, lanes: Map<string, Lane> = new Map()): LaneTable {
  const get: LaneTable['get'] = (storeClientId) =>
    step(`lanes.read ${storeClientId}`, () => copyOf(lanes.get(storeClientId)));

  return {
    get,

    getMany: (storeClientIds) =>
      step('lanes.getMany', () => {
        const found = storeClientIds.flatMap((storeClientId) => lanes.get(storeClientId) ?? []);
        return new Map(found.map((lane) => [lane.storeClientId, { ...lane }]));
      }),

    acquire: async (storeClientId, { leaseId, now, until }) => {
      const taken = await step(`lanes.acquire ${storeClientId}`, () => {
        const lane = lanes.get(storeClientId) ?? { storeClientId, dirty: 0 };
        if (lane.leaseUntil !== undefined && lane.leaseUntil > now) return undefined;
        lanes.set(storeClientId, { ...lane, leaseId, leaseUntil: until });
        return copyOf(lanes.get(storeClientId));
      });
      if (taken !== undefined) return taken;
      const lane = await get(storeClientId);
      return lane?.leaseId === leaseId ? lane : undefined;
    },

    markDirty: (storeClientId) =>
      step(`lanes.markDirty ${storeClientId}`, () => {
        const lane = lanes.get(storeClientId) ?? { storeClientId, dirty: 0 };
        lanes.set(storeClientId, { ...lane, dirty: lane.dirty + 1 });
      }),

    extend: (storeClientId, leaseId, until) =>
      step(`lanes.extend ${storeClientId}`, () => {
        const lane = lanes.get(storeClientId);
        if (lane?.leaseId !== leaseId) return false;
        lanes.set(storeClientId, { ...lane, leaseUntil: Math.max(lane.leaseUntil ?? 0, until) });
        return true;
      }),

    release: async (storeClientId, { leaseId, dirty, state }) => {
      const released = await step(`lanes.release ${storeClientId}`, () => {
        const lane = lanes.get(storeClientId);
        if (lane?.leaseId !== leaseId || lane.dirty !== (dirty ?? lane.dirty)) return false;
        const { leaseId: _, leaseUntil: __, ...free } = lane;
        const kept = state ? { storeClientId, dirty: lane.dirty, ...state } : free;
        const entries = Object.entries(kept).filter(([, value]) => value !== undefined);
        lanes.set(storeClientId, Object.fromEntries(entries) as Lane);
        return true;
      });
      const lane = released ? undefined : await get(storeClientId);
      return lane?.leaseId === leaseId ? lane.dirty : undefined;
    },
  };
}

function copyOf(lane: Lane | undefined): Lane | undefined {
  return lane === undefined ? undefined : { ...lane };
}
