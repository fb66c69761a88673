import {
  type Fleet,
  type FleetFigures,
  type Marketplace,
  measureFleet,
  virtualMarketplace,
} from './fleet.ts';

const LATENCY_MS = 100;

/** Settings of a fleet for this rate; the wake queue's concurrency is as the stack derives it. */
export function fleetOf(requestsPerSecond: number, ioMs: number, seconds: number): Fleet {
  const requestsInFlight = requestsPerSecond;
  const lanesAtATime = requestsInFlight + Math.ceil(requestsPerSecond / 5);
  return { requestsPerSecond, requestsInFlight, ioMs, seconds, lanesAtATime };
}

/** Measures this many stores over tables whose operations take `ioMs`, in virtual time. */
export function measureLanes(
  requestsPerSecond: number,
  stores: number,
  { ioMs, seconds }: { readonly ioMs: number; readonly seconds: number },
): Promise<FleetFigures> {
  return measureFleet(virtualMarketplace(stores, LATENCY_MS), fleetOf(requestsPerSecond, ioMs, seconds));
}

/**
 * Measures how much of the allowed rate lanes use, and what the limiter costs; in virtual time, the same every time.
 */
export async function printLanes(): Promise<void> {
  const cases = [5, 50, 200].flatMap((perSecond) =>
    [1, 10].flatMap((stores) => [5, 10, 20].map((ioMs) => ({ perSecond, stores, ioMs }))),
  );
  const table: Record<string, object> = {};
  for (const { perSecond, stores, ioMs } of [...cases, { perSecond: 5, stores: 100, ioMs: 10 }]) {
    const figures = await measureLanes(perSecond, stores, { ioMs, seconds: Math.min(60, 1_000 / perSecond) });
    table[`${perSecond}/s, ${stores} stores, ${ioMs} ms a call`] = rowOf(figures);
  }
  console.table(table);
}

/** Measures the same for 1,000 requests to a sandbox, whose strict window counts them. */
export async function printLive(marketplace: Marketplace): Promise<void> {
  const fleet = fleetOf(5, 5, 210);
  console.table({ 'one store, live': rowOf(await measureFleet(marketplace, fleet)) });
}

function rowOf(figures: FleetFigures): object {
  return {
    'used, %': (figures.utilization * 100).toFixed(1),
    'most in 1 s': figures.mostInASecond,
    'reads/s': figures.readsPerSecond.toFixed(1),
    'writes/s': figures.writesPerSecond.toFixed(1),
    'longest wait, ms': Math.round(figures.longestWaitMs),
    'failed tickets': figures.failedTickets,
    'requests per store': `${figures.fewest} – ${figures.most}`,
  };
}
