import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { followRows } from '../../../shared/imports/use-cases/follow-rows.ts';
import { continueFull } from '../../../shared/imports/use-cases/full-file.ts';
import { importFile } from '../../../shared/imports/use-cases/import-file.ts';
import { beginSecondReading } from '../../../shared/imports/use-cases/read-again.ts';
import { deliver, NOW, setStage, start } from './invocation.ts';

const sent = vi.hoisted(() => [] as [body: unknown, delayMs: number | undefined][]);

vi.mock('../../../shared/imports/use-cases/follow-rows.ts');
vi.mock('../../../shared/imports/use-cases/full-file.ts');
vi.mock('../../../shared/imports/use-cases/import-file.ts');
vi.mock('../../../shared/imports/use-cases/read-again.ts');
vi.mock('../../../shared/aws/queue-sender.ts', () => ({
  createQueueSender: () => ({
    send: async (bodies: string[], options?: { delayMs?: number }) =>
      void sent.push([JSON.parse(bodies[0] ?? ''), options?.delayMs]),
  }),
}));

// Modules are shared with later files, which must not get those that were loaded with mocks.
afterAll(() => void vi.resetModules());

beforeEach(() => {
  sent.length = 0;
  return setStage();
});

const file = { bucket: 'imports', key: 'stock/s-1/a.csv', etag: 'e-1', time: '2026-11-21T08:00:00.000Z' };
const created = {
  id: 'event-1',
  time: file.time,
  'detail-type': 'Object Created',
  detail: { bucket: { name: file.bucket }, object: { key: file.key, etag: file.etag } },
};
const released = { importId: 'i-1', isReleased: true, notation: { decimal: ',' } };
/** Of an invocation with 100 s. */
const TIMES = { stopAt: NOW + 80_000, endsAt: NOW + 100_000 };

async function receive(message: object): Promise<void> {
  const handler = await start(() => import('../../../functions/catalog-importer/handler.ts'));
  await deliver(handler, JSON.stringify(message), 100_000);
}

test('a new object is read for 0.8 of the time, and its message is sent again for the rest', async () => {
  await receive(created);
  const [ports, imported, options] = vi.mocked(importFile).mock.lastCall ?? [];
  expect(imported).toMatchObject({ ...file, eventId: 'event-1' });
  expect(options).toMatchObject(TIMES);
  await options?.goOn(5_000);
  await ports?.importQueue.send({ importId: 'i-1' });
  expect(sent).toEqual([
    [created, 5_000],
    [{ importId: 'i-1' }, 0],
  ]);
});

test('a file that is released by its notation is read again with the times of its invocation, however long the hold took to end', async () => {
  vi.mocked(beginSecondReading).mockImplementation(async () => {
    vi.setSystemTime(NOW + 3_000);
    return { ...file, eventId: 'event-1' };
  });
  await receive(released);
  const [, imported, options] = vi.mocked(importFile).mock.lastCall ?? [];
  expect([imported, options]).toMatchObject([file, TIMES]);
  await options?.goOn();
  expect(sent).toEqual([[released, 0]]);
});

test('a file that is not to be read again is left', async () => {
  await receive(released);
  expect(importFile).not.toHaveBeenCalled();
});

test('an import whose rows are followed is looked at again after the time that its look says', async () => {
  await receive({ importId: 'i-1', isFollowed: true });
  const [ports, ...received] = vi.mocked(followRows).mock.lastCall ?? [];
  expect(received).toEqual(['i-1', TIMES.stopAt]);
  await ports?.importQueue.send({ importId: 'i-1', isFollowed: true }, 7_000);
  expect(sent).toEqual([[{ importId: 'i-1', isFollowed: true }, 7_000]]);
});

test('work on what a full file does not name goes on later, and is released once', async () => {
  await receive({ importId: 'i-1', isReleased: true });
  const [, ...received] = vi.mocked(continueFull).mock.lastCall ?? [];
  expect(received).toEqual(['i-1', { stopAt: TIMES.stopAt, isReleased: true }]);
});
