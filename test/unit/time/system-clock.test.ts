import { expect, test } from 'vitest';
import { systemClock } from '../../../shared/time/system-clock.ts';

const HOUR_MS = 3_600_000;

test('sleep resolves after its time', async () => {
  await expect(systemClock.sleep(1, new AbortController().signal)).resolves.toBeUndefined();
});

test('sleep rejects with the reason of its aborted signal', async () => {
  const controller = new AbortController();
  const reason = new Error('no longer needed');
  const sleep = systemClock.sleep(HOUR_MS, controller.signal);
  controller.abort(reason);
  await expect(sleep).rejects.toBe(reason);
  await expect(systemClock.sleep(HOUR_MS, controller.signal)).rejects.toBe(reason);
});
