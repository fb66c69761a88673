import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProgram } from '../../../cli/program.ts';

/** Puts an event of this detail on the bus of a stack that is not there. */
const trigger = (detail: object, ...options: string[]) => triggerAt('http://127.0.0.1:1', detail, ...options);

async function triggerAt(origin: string, detail: object, ...options: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'trigger-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [outputs, file] = [join(folder, 'outputs.json'), join(folder, 'detail.json')];
  const stack = { ApiUrl: origin, ChangesQueueUrl: `${origin}/0/changes`, EventBusName: 'bus' };
  await writeFile(outputs, JSON.stringify({ stack }));
  await writeFile(file, JSON.stringify(detail));
  const words = ['trigger', 'stock.changed', '--detail', file, '--outputs', outputs, ...options];
  await createProgram().parseAsync(words, { from: 'user' });
}

test('a detail of another store than --store is refused, and no event is put', async () => {
  const detail = { storeClientId: 'store-2', items: [{ sku: 'A-1', stock: 0 }] };
  await expect(trigger(detail, '--store', 'store-1')).rejects.toMatchObject({
    code: 'USAGE',
    message: 'the detail is of store store-2, not of store-1',
  });
});

test('a detail that breaks its schema is refused in words, and no event is put', async () => {
  const detail = { storeClientId: 'store-1', items: [{ sku: 'A-1', stock: '5' }, { sku: 'A-2' }] };
  await expect(trigger(detail)).rejects.toMatchObject({
    code: 'USAGE',
    message:
      'the detail of stock.changed breaks its schema: items.0.stock: must be a number; items.1.stock: stock or warehouses must be given',
  });
});

test('--detail refuses the options of its fields, by their names', async () => {
  await expect(trigger({ storeClientId: 'store-1' }, '--external-id', 'A')).rejects.toMatchObject({
    message: '--detail is the whole detail: leave out --external-id',
  });
});

test('--wait refuses an event of more items than a trace shows, and no event is put', async () => {
  const items = Array.from({ length: 101 }, (_, index) => ({ sku: `A-${index}`, stock: 1 }));
  await expect(trigger({ storeClientId: 'store-1', items }, '--wait')).rejects.toMatchObject({
    code: 'USAGE',
    message: '--wait follows an event of at most 100 items',
  });
});

test('an event that has not ended in time is said to go on, with the command that tells: this one would put another', async () => {
  const server = createServer(({ headers }, response) => {
    const isBus = headers['x-amz-target'] === 'AWSEvents.PutEvents';
    response.statusCode = isBus ? 200 : 404;
    response.setHeader('content-type', 'application/json');
    const unknown = { error: { code: 'TRACE_UNKNOWN', message: 'no' }, requestId: 'r' };
    response.end(JSON.stringify(isBus ? { FailedEntryCount: 0, Entries: [{ EventId: 'e-1' }] } : unknown));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  onTestFinished(() => void vi.restoreAllMocks());
  const detail = { storeClientId: 'store-1', items: [{ sku: 'A-1', stock: 5 }] };
  await expect(triggerAt(origin, detail, '--wait', '--timeout', '1')).rejects.toMatchObject({
    code: 'TIMED_OUT',
    exitCode: 5,
    hint: 'It goes on by itself: `trace e-1` tells what it waits for. This command given again puts another event.',
  });
});
