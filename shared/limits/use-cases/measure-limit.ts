import type { LimitSettings } from '../model.ts';
import type { LimitTable } from '../ports.ts';
import { grantedInMinuteBefore } from '../rules/count.ts';

export interface MeasureLimitPorts {
  readonly limits: Pick<LimitTable, 'get'>;
  readonly clock: { now(): number };
}

export interface LimitMeasures {
  /** Requests that left in the minute before, in percent of those that were allowed. */
  readonly utilization: number;
  /** Whether the lanes are stopped: the marketplace refuses the partner's credentials. */
  readonly stopped: boolean;
}

/** How full the limit is that all functions of a partner share; `undefined` before it was used. */
export async function measureLimit(
  { limits, clock }: MeasureLimitPorts,
  { limitId, requestsPerSecond }: { readonly limitId: string } & Pick<LimitSettings, 'requestsPerSecond'>,
): Promise<LimitMeasures | undefined> {
  const limit = await limits.get(limitId);
  if (limit === undefined) return undefined;
  const granted = grantedInMinuteBefore(limit, clock.now());
  return {
    utilization: (100 * granted) / (requestsPerSecond * 60),
    stopped: limit.stop !== undefined,
  };
}
