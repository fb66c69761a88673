import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../../test/simulation/engine/random.ts';
import type { Contender } from './contenders.ts';
import type { MarketplaceOrder, MarketplaceView } from './marketplace.ts';
import { planTicks } from './plan.ts';
import { childrenMs } from './processor-time.ts';

const LOOK_EVERY_MS = 100;

/** The marketplace's process. */
export interface Marketplace extends AsyncDisposable {
  readonly baseUrl: string;
  readonly pid: number;
  ask(order: MarketplaceOrder): Promise<MarketplaceView>;
}

/** Starts the marketplace of the comparison with its latency and its limit. */
export async function startMarketplace({
  latencyMs,
  requestsPerSecond,
}: {
  readonly latencyMs: number;
  readonly requestsPerSecond: number;
}): Promise<Marketplace> {
  const args = [`--latencyMs=${latencyMs}`, `--requestsPerSecond=${requestsPerSecond}`];
  const child: ChildProcess = fork(join(import.meta.dirname, 'marketplace.ts'), args, { execArgv: [] });
  const [{ port }] = await once(child, 'message');
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    ask: async (order) => {
      const answered = once(child, 'message');
      child.send(order);
      const [view] = await answered;
      return view;
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

export interface RunOptions {
  readonly changes: number;
  readonly targets: number;
  /** Equal seeds give equal changes. */
  readonly seed: number;
  /** Version before the first change: runs share the marketplace, whose values only grow. */
  readonly after: number;
  /** Whether the contender is killed and started again after half of the changes. */
  readonly isKilled: boolean;
  /** Time over which the changes are delivered. */
  readonly deliverMs: number;
  /** Longest time from the last change to the last right value. */
  readonly settleWithinMs: number;
}

export interface RunFigures extends MarketplaceView {
  /** Seconds from the last change until all values were right; infinite if they were never. */
  readonly rightAfterS: number;
  /** Milliseconds of CPU of the contender's processes. */
  readonly cpuMs: number;
}

/** Delivers the changes at a fixed pace, and polls the marketplace until all values are right or nothing is left to send. */
export async function runContender(
  marketplace: Marketplace,
  contender: Contender,
  { isKilled, deliverMs, settleWithinMs, seed, ...plan }: RunOptions,
): Promise<RunFigures> {
  const { arrivals, newest } = planTicks(plan, new Random(seed));
  await marketplace.ask({ newest: [...newest] });
  const cpuBefore = childrenMs([marketplace.pid]);
  const begin = Date.now();
  for (const [index, tick] of arrivals.entries()) {
    await pause(Math.max(0, begin + (index / arrivals.length) * deliverMs - Date.now()));
    if (isKilled && index === Math.floor(arrivals.length / 2)) await contender.restart();
    await contender.deliver([tick]);
  }
  const deliveredAt = Date.now();
  let view = await marketplace.ask({ look: true });
  let isBusy = true;
  while (view.wrong > 0 && isBusy && Date.now() < deliveredAt + settleWithinMs) {
    await pause(LOOK_EVERY_MS);
    isBusy = contender.isBusy();
    view = await marketplace.ask({ look: true });
  }
  const rightAfterS = view.wrong === 0 ? (Date.now() - deliveredAt) / 1000 : Number.POSITIVE_INFINITY;
  return { ...view, rightAfterS, cpuMs: childrenMs([marketplace.pid]) - cpuBefore };
}
