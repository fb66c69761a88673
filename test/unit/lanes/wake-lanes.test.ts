import { describe, expect, test } from 'vitest';
import { wakeLanes } from '../../../shared/lanes/use-cases/wake-lanes.ts';
import { failure, laneWorld, STORE } from './lane-world.ts';

const MINUTE = 60_000;

async function waitingWorld(options?: Parameters<typeof laneWorld>[0]) {
  const world = laneWorld(options);
  await world.connect();
  await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  world.tickets.length = 0;
  return { ...world, pass: (ms: number) => world.clock.run(world.clock.sleep(ms)) };
}

describe('wakeLanes', () => {
  test('wakes a lane with work due, and tells for how long its oldest change waits', async () => {
    const { ports, tickets, pass } = await waitingWorld();
    await pass(3 * MINUTE);
    expect(await wakeLanes(ports)).toEqual([
      { storeClientId: STORE, oldestChangeAgeMs: 3 * MINUTE, woken: true },
    ]);
    expect(tickets).toMatchObject([{ storeClientId: STORE }]);
  });

  test('tells the whole age of a change that is refused again and again, also while it backs off', async () => {
    const reply = () => ({
      errors: [{ rowIndex: 0, code: 'SYS_DEP_503', message: 'later', details: { retryable: true } }],
    });
    const { ports, clock, push, pass } = await waitingWorld({ reply } as Parameters<typeof laneWorld>[0]);
    const since = clock.now();
    for (let round = 0; round < 61; round += 1) {
      await push();
      await pass(MINUTE);
    }
    await push();
    expect(await wakeLanes(ports)).toEqual([
      { storeClientId: STORE, oldestChangeAgeMs: clock.now() - since, woken: false },
    ]);
    expect(clock.now() - since).toBeGreaterThan(61 * MINUTE);
  });

  test('tells the age of a change behind the fence of an unknown outcome', async () => {
    const { ports, clock, push } = await waitingWorld({
      reply: () => {
        throw failure('TIMEOUT', { outcome: 'unknown', retryable: true });
      },
    });
    const since = clock.now();
    await push();
    const [lane] = await wakeLanes(ports);
    expect(lane).toEqual({ storeClientId: STORE, oldestChangeAgeMs: clock.now() - since, woken: false });
    expect(lane?.oldestChangeAgeMs).toBeGreaterThan(0);
  });

  test('leaves a lane alone whose work is done, and tells no age of it', async () => {
    const { ports, tickets, push, pass } = await waitingWorld();
    await push();
    await pass(MINUTE);
    expect(await wakeLanes(ports)).toEqual([{ storeClientId: STORE, oldestChangeAgeMs: 0, woken: false }]);
    expect(tickets).toEqual([]);
  });
});
