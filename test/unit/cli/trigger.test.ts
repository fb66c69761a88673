import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProgram } from '../../../cli/program.ts';

test('a detail of another store than --store is refused, and no event is put', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trigger-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [outputs, detail] = [join(folder, 'outputs.json'), join(folder, 'detail.json')];
  const nowhere = 'http://127.0.0.1:1';
  const stack = { ApiUrl: nowhere, ChangesQueueUrl: `${nowhere}/0/changes`, EventBusName: 'bus' };
  await writeFile(outputs, JSON.stringify({ stack }));
  await writeFile(detail, '{"storeClientId":"store-2","items":[{"sku":"A-1","stock":0}]}');
  const words = ['trigger', 'stock.changed', '--store', 'store-1', '--detail', detail, '--outputs', outputs];
  await expect(createProgram().parseAsync(words, { from: 'user' })).rejects.toMatchObject({
    code: 'USAGE',
    message: 'the detail is of store store-2, not of store-1',
  });
});
