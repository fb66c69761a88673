import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import type { SandboxRequest } from '../../local/run/sandbox-controls.ts';
import type { Random } from '../../test/simulation/engine/random.ts';

/** Functions that are killed, by a part of their logical ID. */
const victims = ['ChangeIntake', 'ListingProducer', 'LaneWaker'] as const;

/** Faults of bulk requests at the marketplace; late effects come within the lifetime of an attempt. */
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
  /** How often the processes of a function were killed. */
  readonly kills: number;
  /** Requests that met a fault, by its kind. */
  readonly faults: Readonly<Record<string, number>>;
}

export interface DisturbOptions {
  /** Milliseconds between two kills, and between two faults, on average. */
  readonly killEveryMs: number;
  readonly faultEveryMs: number;
  readonly random: Random;
}

/**
 * Kills functions and makes the marketplace fail until `stop` is called. `stop` waits for the last disturbance, removes
 * unused faults, and returns how often a function was killed.
 */
export function disturb(run: ConnectorRun, { killEveryMs, faultEveryMs, random }: DisturbOptions) {
  const stopping = new AbortController();
  let kills = 0;
  const repeat = async (everyMs: number, act: () => Promise<void> | void) => {
    while (!stopping.signal.aborted) {
      await pause(everyMs * (0.5 + random.next()), undefined, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) await act();
    }
  };
  const kill = () => {
    if (run.local.functions.kill(random.pick(victims))) kills += 1;
  };
  const fail = async () => {
    await run.controls?.addFault({ path: random.pick(paths), fault: random.pick<object>(faults) });
  };
  const work = Promise.all([repeat(killEveryMs, kill), repeat(faultEveryMs, fail)]);
  return {
    stop: async (): Promise<Pick<Disturbances, 'kills'>> => {
      stopping.abort();
      await work;
      await run.controls?.clearFaults();
      return { kills };
    },
  };
}

/** The faults that occurred, which may be fewer than were requested, by kind. */
export function faultsThatStruck(requests: readonly Pick<SandboxRequest, 'fault'>[]): Disturbances['faults'] {
  const counts: Record<string, number> = {};
  for (const { fault } of requests) {
    if (fault === null) continue;
    const kind = Object.entries(fault)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ');
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
