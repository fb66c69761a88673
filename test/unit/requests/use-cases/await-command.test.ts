import { expect, test } from 'vitest';
import { planKey, type RequestRecord } from '../../../../shared/requests/model.ts';
import { awaitCommand } from '../../../../shared/requests/use-cases/await-command.ts';
import { inMemoryRequestArchive } from '../../../doubles/in-memory-request-archive.ts';
import { inMemoryRequestTable } from '../../../doubles/in-memory-request-table.ts';

const NOW = Date.parse('2026-11-21T08:00:00.000Z');
const at = new Date(NOW).toISOString();
const command = { storeClientId: 's-1', commandId: 'c-1', detailType: 'order.decision.requested' };
const key = planKey(command);

/** A command with its plan, and what happens after some milliseconds while a caller waits for its end. */
function setUp(plan: object = {}) {
  const requests = inMemoryRequestTable();
  const archive = inMemoryRequestArchive();
  const events = new Map<number, () => Promise<unknown>>();
  let now = NOW;
  const sleep = async (ms: number) => {
    now += ms;
    for (const [afterMs, act] of [...events]) if (now - NOW >= afterMs && events.delete(afterMs)) await act();
  };
  const put = (recordId: string, over: Partial<RequestRecord>) =>
    requests.update(recordId, () => ({
      ...{ recordId, storeClientId: 's-1', kind: 'order-decision', state: 'answered', tries: 1 },
      ...{ uncertain: false, createdAt: at, touchedAt: at, rows: [{ command: 0, index: 0, orderId: 'o' }] },
      commands: [{ ...command, eventId: 'e-1', time: NOW, recordIds: [recordId] }],
      ...over,
    }));
  const putPlan = (recordIds: string[]) =>
    requests.putPlan(key, { recordIds, rejected: 0, plannedAt: at, ...plan });
  const ports = { requests, archive, clock: { now: () => now, sleep } };
  const wait = async (ms = 20_000) => {
    const end = await awaitCommand(ports, command, NOW + ms);
    const ids = 'requests' in end ? end.requests.map(({ recordId }) => recordId) : 'open';
    return { end, ids, tookMs: now - NOW };
  };
  return {
    requests,
    archive,
    put,
    putPlan,
    wait,
    later: (ms: number, act: () => Promise<unknown>) => events.set(ms, act),
  };
}

test('a caller gets the requests of a command once all that follows from them is durable', async () => {
  const { put, putPlan, wait, later } = setUp();
  later(500, () => putPlan(['r-1', 'r-2']));
  later(600, () => put('r-1', { appliedAt: at }));
  later(700, () => put('r-2', {}));
  later(5_000, () => put('r-2', { appliedAt: at }));
  const { ids, tookMs } = await wait();
  expect(ids).toEqual(['r-1', 'r-2']);
  expect([tookMs >= 5_000, tookMs <= 6_000]).toEqual([true, true]);
});

test('of a request that was split a caller gets both halves', async () => {
  const { put, putPlan, wait, later } = setUp();
  await putPlan(['r-1']);
  await put('r-1', { state: 'split', halves: ['r-1.0', 'r-1.1'], appliedAt: at });
  await put('r-1.0', { appliedAt: at });
  later(2_000, () => put('r-1.1', { appliedAt: at }));
  const { ids, tookMs } = await wait();
  expect([ids, tookMs >= 2_000]).toEqual([['r-1.0', 'r-1.1'], true]);
});

test('rows that are rejected when the command is planned are part of its end once they are reported', async () => {
  const { requests, archive, putPlan, wait, later } = setUp({ rejectionsKey: 'requests/x', rejected: 1 });
  const facts = { storeClientId: 's-1', rejectedAt: at, code: 'VAL_001', message: 'no', commandId: 'c-1' };
  const rejection = {
    ...facts,
    rejectionId: 'x',
    eventId: 'e-1',
    detailType: command.detailType,
    rowIndex: 0,
  };
  await archive.put('requests/x', [rejection]);
  await putPlan([]);
  later(1_000, () => requests.markReported(key, at));
  const { end, tookMs } = await wait();
  expect(end).toMatchObject({ requests: [], rejections: [{ code: 'VAL_001', rowIndex: 0 }] });
  expect(tookMs).toBeGreaterThanOrEqual(1_000);
});

test('a command that is rejected whole ends with its fault', async () => {
  const fault = { code: 'COMMAND_DISCARDED', message: 'm' };
  const { putPlan, wait } = setUp({ fault, reportedAt: at });
  await putPlan([]);
  expect((await wait()).end).toEqual({ requests: [], rejections: [], fault });
});

test('a caller that does not wait reads nothing, and one that waits is not kept longer than it asks for', async () => {
  const { wait } = setUp();
  expect(await wait(0)).toMatchObject({ ids: 'open', tookMs: 0 });
  expect(await wait(7_000)).toMatchObject({ ids: 'open', tookMs: 7_000 });
});

test('a caller does not wait for a command whose next delivery is later than it waits', async () => {
  const { requests, wait } = setUp();
  const note = { ...command, eventId: 'e-1', time: NOW, code: 'SYS_DEP_503', message: 'm', since: at, at };
  const soon = { ...note, nextAt: new Date(NOW + 3_000).toISOString() };
  await requests.putWaits([soon]);
  expect(await wait(6_000)).toMatchObject({ ids: 'open', tookMs: 6_000, end: { wait: soon } });
  const late = { ...note, nextAt: new Date(NOW + 60_000).toISOString() };
  await requests.putWaits([late]);
  const { end, tookMs } = await wait();
  expect([end, tookMs < 7_000]).toEqual([{ wait: late }, true]);
});
