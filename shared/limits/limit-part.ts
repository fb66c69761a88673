import type { Clock } from '../time/clock.ts';
import { freshLimit, type Limit, type LimitSettings } from './model.ts';
import type { LimitChange, LimitTable } from './ports.ts';

export interface LimiterPorts {
  readonly limits: LimitTable;
  readonly clock: Clock;
  /** Unique every time. */
  readonly newId: () => string;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
}

/** One item of the limit, in one process. */
export interface LimitPart extends LimiterPorts {
  /** The rate and the permits of this item. */
  readonly settings: LimitSettings;
  readonly limitId: string;
  /** The item after the last operation. */
  seen: Limit;
  /** All parts of the limit, this one included. */
  readonly all: readonly LimitPart[];
}

/** Divides the limit evenly over the items. */
export function limitParts(
  ports: LimiterPorts,
  { requestsPerSecond, requestsInFlight, ...settings }: LimitSettings,
  limitIds: readonly string[],
): readonly LimitPart[] {
  const all: LimitPart[] = [];
  const count = limitIds.length;
  for (const [index, limitId] of limitIds.entries()) {
    const share = {
      requestsPerSecond: requestsPerSecond / count,
      requestsInFlight: Math.floor((requestsInFlight + index) / count),
    };
    const seen = freshLimit(limitId);
    all.push({ ...ports, settings: { ...settings, ...share }, limitId, seen, all });
  }
  return all;
}

/** Changes the item. `undefined` if a condition does not hold. */
export async function changeLimit(part: LimitPart, wanted: LimitChange): Promise<Limit | undefined> {
  const changed = await part.limits.change(part.limitId, wanted);
  if (changed !== undefined) part.seen = changed;
  return changed;
}

/** Reads the item. Creates it if it is missing. */
export async function readLimit(part: LimitPart): Promise<Limit> {
  const found = await part.limits.get(part.limitId);
  if (found === undefined) await part.limits.create(freshLimit(part.limitId));
  part.seen = found ?? freshLimit(part.limitId);
  return part.seen;
}
