import { beforeEach, describe, expect, test } from 'vitest';
import { createRequestWatcher } from '../../../../local/run/activity/request-watcher.ts';
import type { SandboxRequest } from '../../../../local/run/sandbox-controls.ts';
import { sandboxRequest } from './sandbox-request.ts';

let log: SandboxRequest[];
const controls = {
  requests: async (since = 0) => ({ requests: log.filter(({ sequence }) => sequence > since) }),
};
const answered = (sequence: number) => sandboxRequest({ sequence });

beforeEach(() => {
  log = [answered(1), answered(2)];
});

describe('requests to the sandbox', () => {
  test('are given once each, from the beginning of the watch on', async () => {
    const look = await createRequestWatcher(controls);
    expect(await look()).toEqual([]);
    log.push(answered(3), answered(4));
    expect(await look()).toEqual([answered(3), answered(4)]);
    expect(await look()).toEqual([]);
  });

  test('wait for their answer, and so do those behind them', async () => {
    const look = await createRequestWatcher(controls);
    const open = sandboxRequest({ sequence: 3, status: null, time: new Date().toISOString() });
    log.push(open, answered(4));
    expect(await look()).toEqual([]);
    log[2] = answered(3);
    expect(await look()).toEqual([answered(3), answered(4)]);
  });

  test('are given as cut off when no answer comes for a long time', async () => {
    const look = await createRequestWatcher(controls);
    const cut = sandboxRequest({ sequence: 3, status: null });
    log.push(cut);
    expect(await look()).toEqual([cut]);
  });

  test('are all new after a reset of the sandbox', async () => {
    const look = await createRequestWatcher(controls);
    log = [answered(1)];
    expect(await look()).toEqual([answered(1)]);
    log = [];
    expect(await look()).toEqual([]);
    log = [answered(1)];
    expect(await look()).toEqual([answered(1)]);
  });
});
