import type { Clock } from '../time/clock.ts';
import { type Limit, type MarketplaceLimits, RECENT_MINUTES } from './model.ts';
import type { LimitTable } from './ports.ts';

interface MeasureLimitPorts {
  readonly limits: Pick<LimitTable, 'get' | 'change'>;
  readonly clock: Pick<Clock, 'now'>;
}

const MINUTE_MS = 60_000;

export interface LimitMeasures {
  /** Requests that ended in the last minute, as a percentage of the requests allowed. */
  readonly utilization: number;
  /** Whether the lanes are stopped: the marketplace refuses the partner's credentials. */
  readonly stopped: boolean;
}

/** The use of the limit in the last minute; `undefined` before its first use. */
export async function measureLimit(
  ports: MeasureLimitPorts,
  {
    limitIds,
    requestsPerSecond,
  }: { readonly limitIds: readonly string[] } & Pick<MarketplaceLimits, 'requestsPerSecond'>,
): Promise<LimitMeasures | undefined> {
  const rate = requestsPerSecond / limitIds.length;
  const all = await Promise.all(limitIds.map((limitId) => measureItem(ports, limitId, rate)));
  const used = all.filter((measures) => measures !== undefined);
  if (used.length === 0) return undefined;
  return {
    utilization: used.reduce((sum, { utilization }) => sum + utilization, 0) / limitIds.length,
    stopped: used.some(({ stopped }) => stopped),
  };
}

async function measureItem(
  { limits, clock }: MeasureLimitPorts,
  limitId: string,
  requestsPerSecond: number,
): Promise<LimitMeasures | undefined> {
  const limit = await limits.get(limitId);
  if (limit === undefined) return undefined;
  const { stop, succeeded = 0, failed = 0, minutes = [] } = limit;
  const note = { at: clock.now(), succeeded, failed };
  const before = minutes.at(-1) ?? note;
  await limits.change(limitId, { set: { minutes: withNote(minutes, note) } });
  const seconds = (note.at - before.at) / 1000;
  const sent = succeeded + failed - before.succeeded - before.failed;
  return {
    utilization: seconds > 0 ? (100 * sent) / (requestsPerSecond * seconds) : 0,
    stopped: stop !== undefined,
  };
}

type Notes = NonNullable<Limit['minutes']>;

/**
 * Adds a note, at most about one a minute, as a schedule may start two runs at once. The oldest kept note is from the begin of the
 * last `RECENT_MINUTES`, or from before it.
 */
function withNote(notes: Notes, note: Notes[number]): Notes {
  const begin = note.at - RECENT_MINUTES * MINUTE_MS;
  const before = notes.findLastIndex(({ at }) => at <= begin);
  const kept = notes.slice(Math.max(before, 0));
  const last = kept.at(-1)?.at ?? 0;
  return note.at - last < MINUTE_MS / 2 ? kept : [...kept, note];
}
