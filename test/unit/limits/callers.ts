import type { LimiterPorts } from '../../../shared/limits/limit-part.ts';
import { createLimiter, type Limiter } from '../../../shared/limits/limiter.ts';
import type { LimitSettings } from '../../../shared/limits/model.ts';
import type { LimitTable, Permit, PermitOutcome, Permits } from '../../../shared/limits/ports.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

export const settings: LimitSettings = {
  requestsPerSecond: 5,
  requestsInFlight: 5,
  permitLifetimeMs: 30_000,
  stopMs: 60_000,
};

/**
 * Any number of functions over one Limits table whose operations take `ioMs` each. `repeatsWrites`: the answer of each first
 * write is lost, and the SDK repeats it.
 */
export function limitWorld(
  over: Partial<LimitSettings> = {},
  { ioMs = 0, startAt = Date.UTC(2026, 0, 1), limitIds = ['partner'], repeatsWrites = false } = {},
) {
  const clock = virtualClock(startAt);
  const operations = { reads: 0, writes: 0 };
  const writes: string[] = [];
  const table = inMemoryLimitTable(async (operation, effect) => {
    if (operation.startsWith('limits.get')) operations.reads += 1;
    else operations.writes += 1;
    if (operation.startsWith('limits.change')) writes.push(operation.slice('limits.change '.length));
    if (ioMs > 0) await clock.sleep(ioMs / 2);
    if (repeatsWrites && operation.startsWith('limits.change')) effect();
    const result = effect();
    if (ioMs > 0) await clock.sleep(ioMs / 2);
    return result;
  });
  let ids = 0;
  let jitter = 0;
  const ports: LimiterPorts = {
    limits: table,
    clock,
    newId: () => `permit-${ids++}`,
    random: () => (jitter = (jitter + 0.37) % 1),
  };
  const newLimiter = (): Limiter => createLimiter(ports, { ...settings, ...over }, limitIds);
  const limitNow = () => table.get('partner');
  const writesOf = (limitId: string) => writes.filter((one) => one === limitId).length;
  return { clock, operations, writesOf, table: table as LimitTable, newLimiter, limitNow };
}

/** Takes a permit within `waitMs` as the client does; otherwise returns when to ask again. */
export async function permitOf(
  permits: Permits,
  clock: VirtualClock,
  { waitMs = 2_000, heedsStop = false } = {},
): Promise<Permit | { readonly reason: string; readonly retryAt: number }> {
  const until = clock.now() + waitMs;
  for (;;) {
    const place = await permits.reserve({ until, heedsStop });
    if ('reason' in place) return place;
    const permit = await place.begin();
    if (permit !== undefined) return permit;
    if (clock.now() >= until) return { reason: 'busy', retryAt: clock.now() + 1_000 };
  }
}

/** Takes permits without pause for `forMs`; returns the times at which its requests left (epoch ms). */
export async function sendAll(
  permits: Permits,
  clock: VirtualClock,
  options: { forMs: number; latencyMs: number; inFlight?: number; answer?: (at: number) => PermitOutcome },
): Promise<number[]> {
  const { forMs, latencyMs, inFlight = 1, answer } = options;
  const end = clock.now() + forMs;
  const left: number[] = [];
  const sender = async () => {
    while (clock.now() < end) {
      const permit = await permitOf(permits, clock);
      if ('reason' in permit) {
        await clock.sleep(Math.max(1, permit.retryAt - clock.now()));
        continue;
      }
      const at = clock.now();
      left.push(at);
      await clock.sleep(latencyMs);
      await permit.release(answer?.(at) ?? { status: 200 });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sender));
  return left;
}

/** The greatest number of times in any window of `windowMs`. */
export function mostWithin(left: readonly number[], windowMs: number): number {
  return Math.max(
    0,
    ...left.map((start) => left.filter((at) => at >= start && at < start + windowMs).length),
  );
}
