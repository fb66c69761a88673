import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectorRun } from '../run/connector-run.ts';
import type { Random } from '../simulation/engine/random.ts';

/** Functions that are killed, by a part of their logical ID. */
const victims = ['ChangeIntake', 'ListingProducer', 'LaneWaker'] as const;

/** What the marketplace does to bulk requests; late effects come within the life of an attempt. */
const faults = [
  { retryAfter: 1 },
  { status: 503, code: 'SYS_DEP_503' },
  { status: 500 },
  { drop: 'before' },
  { drop: 'after' },
  { delayMs: 1500 },
  { delayMs: 3500 },
  { malformed: true },
] as const;

const paths = ['/partner/stores/inventory', '/partner/stores/products/prices'];

export interface Disturbances {
  /** Processes of functions that were killed. */
  readonly kills: number;
  readonly faults: number;
}

export interface DisturbOptions {
  /** Milliseconds between two kills, and between two faults, on average. */
  readonly killEveryMs: number;
  readonly faultEveryMs: number;
  readonly random: Random;
}

/** Kills functions and makes the marketplace fail until `stop` is called, which waits for the last of it. */
export function disturb(run: ConnectorRun, { killEveryMs, faultEveryMs, random }: DisturbOptions) {
  const stopping = new AbortController();
  const counts = { kills: 0, faults: 0 };
  const repeat = async (everyMs: number, act: () => Promise<void> | void) => {
    while (!stopping.signal.aborted) {
      await pause(everyMs * (0.5 + random.next()), undefined, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) await act();
    }
  };
  const kill = () => {
    if (run.local.functions.kill(random.pick(victims))) counts.kills += 1;
  };
  const fail = async () => {
    await run.controls?.addFault({ path: random.pick(paths), fault: random.pick<object>(faults) });
    counts.faults += 1;
  };
  const work = Promise.all([repeat(killEveryMs, kill), repeat(faultEveryMs, fail)]);
  return {
    stop: async (): Promise<Disturbances> => {
      stopping.abort();
      await work;
      await run.controls?.clearFaults();
      return counts;
    },
  };
}
