import { measureFleet } from './fleet.ts';

/** The wake queue's concurrency, as the stack derives it. */
const lanesAtATimeFor = (requestsPerSecond: number, requestsInFlight: number) =>
  requestsInFlight + 1 + Math.ceil(requestsPerSecond / 5);

/** Prints how much of the allowed rate lanes use, and what the limiter costs; in virtual time, the same every time. */
export async function printLanes(): Promise<void> {
  const table: Record<string, Record<string, string | number>> = {};
  const cases = [5, 50].flatMap((requestsPerSecond) =>
    [1, 10].flatMap((stores) => [5, 10, 20].map((ioMs) => ({ requestsPerSecond, stores, ioMs }))),
  );
  for (const { requestsPerSecond, stores, ioMs } of [...cases, { requestsPerSecond: 5, stores: 100, ioMs: 10 }]) {
    const requestsInFlight = requestsPerSecond;
    const figures = await measureFleet({
      requestsPerSecond,
      requestsInFlight,
      stores,
      ioMs,
      latencyMs: 100,
      seconds: 60,
      lanesAtATime: lanesAtATimeFor(requestsPerSecond, requestsInFlight),
    });
    table[`${requestsPerSecond}/s, ${stores} stores, ${ioMs} ms a call`] = {
      'used, %': (figures.utilization * 100).toFixed(1),
      'most in 1 s': figures.mostInASecond,
      'reads/s': figures.readsPerSecond.toFixed(1),
      'writes/s': figures.writesPerSecond.toFixed(1),
      'longest wait, ms': Math.round(figures.longestWaitMs),
      'failed tickets': figures.failedTickets,
      'requests per store': `${figures.fewest} – ${figures.most}`,
    };
  }
  console.table(table);
}
