import { createLimiter, type Limiter, type LimitPermit } from '../../../shared/limits/limiter.ts';
import type { LimitSettings } from '../../../shared/limits/model.ts';
import type { PermitOutcome } from '../../../shared/marketplace/options.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

export const settings: LimitSettings = {
  requestsPerSecond: 5,
  requestsInFlight: 5,
  permitLifetimeMs: 30_000,
  stopMs: 60_000,
};

/** Milliseconds between two slots at that rate. */
export const DISTANCE_MS = 208;

/** One that sends all the time. */
export interface Sender {
  readonly storeClientId?: string;
  readonly yields?: boolean;
  readonly latencyMs: number;
  /** Requests of its own that are under way at most. */
  readonly inFlight: number;
  /** Milliseconds after the beginning at which it begins, and ends. */
  readonly fromMs?: number;
  readonly untilMs?: number;
  /** Milliseconds before it asks again; a lane settles what was answered, and looks for what is due. Default 30. */
  readonly pauseMs?: number;
  /** What each of its requests is told; `at` in milliseconds after the beginning. Default: status 200. */
  readonly answer?: (at: number) => PermitOutcome;
}

export interface SendOptions {
  readonly forMs: number;
  readonly settings?: Partial<LimitSettings>;
  /** Milliseconds that each operation of the table takes. */
  readonly ioMs?: number;
}

/** When each sender's requests left, in milliseconds after the beginning, over one Limits table. */
export async function sendAll(senders: readonly Sender[], options: SendOptions): Promise<number[][]> {
  const clock = virtualClock();
  const start = clock.now();
  const limits = inMemoryLimitTable(async (_, effect) => {
    if (options.ioMs !== undefined) await clock.sleep(options.ioMs / 2);
    const result = effect();
    if (options.ioMs !== undefined) await clock.sleep(options.ioMs / 2);
    return result;
  });
  let ids = 0;
  let jitter = 0;
  const random = () => (jitter = (jitter + 0.37) % 1);
  const run = async (sender: Sender): Promise<number[]> => {
    const ports = { limits, clock, newId: () => `permit-${ids++}`, random };
    const limiter = createLimiter(ports, { ...settings, ...options.settings }, 'partner');
    await clock.sleep(sender.fromMs ?? 0);
    return sendFrom(limiter, sender, { clock, start, end: start + (sender.untilMs ?? options.forMs) });
  };
  return clock.run(Promise.all(senders.map(run)));
}

async function sendFrom(
  limiter: Limiter,
  { storeClientId, yields = false, latencyMs, inFlight, pauseMs = 30, answer }: Sender,
  { clock, start, end }: { readonly clock: VirtualClock; readonly start: number; readonly end: number },
): Promise<number[]> {
  const left: number[] = [];
  const underWay = new Set<Promise<void>>();
  const exchange = async (permit: LimitPermit, at: number) => {
    await clock.sleep(latencyMs);
    await permit.release(answer?.(at) ?? { status: 200 });
  };
  while (clock.now() < end) {
    const grant = await limiter.acquire({ storeClientId, until: end, yields });
    if (!grant.granted) break;
    const at = clock.now() - start;
    left.push(at);
    const exchanged = exchange(grant.permit, at).finally(() => underWay.delete(exchanged));
    underWay.add(exchanged);
    if (underWay.size >= inFlight) await Promise.race(underWay);
    await clock.sleep(pauseMs);
  }
  await Promise.all(underWay);
  return left;
}

/** The most that any window of `windowMs` holds. */
export function mostWithin(left: readonly number[], windowMs: number): number {
  return Math.max(...left.map((start) => left.filter((at) => at >= start && at < start + windowMs).length));
}

/** The longest time that one waited for the next, in milliseconds. */
export function longestGap(left: readonly number[]): number {
  return Math.max(...left.map((at, index) => at - (left[index - 1] ?? left[0] ?? 0)));
}
