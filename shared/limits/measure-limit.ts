import type { LimitSettings, LimitTable } from './model.ts';

export interface MeasureLimitPorts {
  readonly limits: Pick<LimitTable, 'get' | 'change'>;
  readonly clock: { now(): number };
}

/** Measurements whose counts are kept: the last minutes are counted from the oldest. */
const MINUTES_NOTED = 6;

export interface LimitMeasures {
  /** Requests sent since the last measurement, as a percentage of the requests allowed. */
  readonly utilization: number;
  /** Whether the lanes are stopped: the marketplace refuses the partner's credentials. */
  readonly stopped: boolean;
}

/** The use of the limit since the last measurement; `undefined` before its first use. */
export async function measureLimit(
  ports: MeasureLimitPorts,
  {
    limitIds,
    requestsPerSecond,
  }: { readonly limitIds: readonly string[] } & Pick<LimitSettings, 'requestsPerSecond'>,
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
  const { granted, stop, measured, succeeded = 0, failed = 0, minutes = [] } = limit;
  const now = clock.now();
  const noted = [...minutes, { at: now, succeeded, failed }].slice(-MINUTES_NOTED);
  await limits.change(limitId, { set: { measured: { at: now, granted }, minutes: noted } });
  const seconds = (now - (measured?.at ?? now)) / 1000;
  const sent = granted - (measured?.granted ?? granted);
  return {
    utilization: seconds > 0 ? (100 * sent) / (requestsPerSecond * seconds) : 0,
    stopped: stop !== undefined,
  };
}
