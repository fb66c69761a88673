import { describe, expect, test } from 'vitest';
import { sendAgain } from '../../../../shared/commands/use-cases/send-again.ts';
import type { MarketplaceErrorOptions } from '../../../../shared/marketplace/errors.ts';
import { failure } from '../../support/failure.ts';

const mayPass = (over: Partial<MarketplaceErrorOptions> = {}) => failure('C', { retryable: true, ...over });

/** A clock that moves by what is slept and by what each send takes. */
function setUp(failures: unknown[], { sendMs = 0, random = 0 } = {}) {
  let now = 0;
  const pauses: number[] = [];
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      pauses.push(ms);
      now += ms;
    },
  };
  const send = async () => {
    now += sendMs;
    if (failures.length > 0) throw failures.shift();
    return 'sent';
  };
  const run = (withinMs?: number) => sendAgain({ clock, random: () => random }, send, withinMs);
  return { pauses, run };
}

describe('sending again', () => {
  test('a failure that may pass is waited out, longer each time', async () => {
    const { run, pauses } = setUp([mayPass(), mayPass(), mayPass()]);
    expect(await run()).toBe('sent');
    expect(pauses).toEqual([500, 1000, 2000]);
  });

  test('the pause is stretched at random, so that many do not send at once', async () => {
    const { run, pauses } = setUp([mayPass(), mayPass()], { random: 0.5 });
    await run();
    expect(pauses).toEqual([750, 1500]);
  });

  test('the pause is at least what the marketplace asks for', async () => {
    const { run, pauses } = setUp([mayPass({ retryAfterMs: 3000 })]);
    await run();
    expect(pauses).toEqual([3000]);
  });

  test('no send begins so late that its function might end before it', async () => {
    const last = mayPass({ message: 'second' });
    const { run, pauses } = setUp([mayPass(), last], { sendMs: 15_000 });
    await expect(run()).rejects.toBe(last);
    expect(pauses).toEqual([500]);
  });

  test('no send begins later than the caller has time for', async () => {
    const last = mayPass({ message: 'second' });
    const { run, pauses } = setUp([mayPass(), last], { sendMs: 700 });
    await expect(run(2_000)).rejects.toBe(last);
    expect(pauses).toEqual([500]);
  });

  test.each([
    ['a final refusal', failure('C')],
    ["what is not the marketplace's", new Error('table')],
  ])('%s is not sent again', async (_, error) => {
    const { run, pauses } = setUp([error]);
    await expect(run()).rejects.toBe(error);
    expect(pauses).toEqual([]);
  });
});
