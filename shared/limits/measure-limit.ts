import type { LimitSettings, LimitTable } from './model.ts';

export interface MeasureLimitPorts {
  readonly limits: Pick<LimitTable, 'get' | 'change'>;
  readonly clock: { now(): number };
}

export interface LimitMeasures {
  /** Requests sent since the last measurement, as a percentage of the requests allowed. */
  readonly utilization: number;
  /** Whether the lanes are stopped: the marketplace refuses the partner's credentials. */
  readonly stopped: boolean;
}

/** How full the limit was since it was measured last; `undefined` before its first use. */
export async function measureLimit(
  { limits, clock }: MeasureLimitPorts,
  { limitId, requestsPerSecond }: { readonly limitId: string } & Pick<LimitSettings, 'requestsPerSecond'>,
): Promise<LimitMeasures | undefined> {
  const limit = await limits.get(limitId);
  if (limit === undefined) return undefined;
  const { granted, stop, measured } = limit;
  const now = clock.now();
  await limits.change(limitId, { set: { measured: { at: now, granted } } });
  const seconds = (now - (measured?.at ?? now)) / 1000;
  const sent = granted - (measured?.granted ?? granted);
  return {
    utilization: seconds > 0 ? (100 * sent) / (requestsPerSecond * seconds) : 0,
    stopped: stop !== undefined,
  };
}
