import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProgram } from '../../../cli/program.ts';

const EQUAL = { differences: [], equal: ['sku:A-1'], missing: [], unread: [], invalid: [], sent: 0 };

/** Runs `reconcile` in a terminal, with a stack that has one row as it is live. */
async function reconcileInTerminal(...options: string[]) {
  const written: string[] = [];
  let untilAnswer = '';
  await using server = createServer((_, response) => {
    untilAnswer = written.join('');
    response.end(JSON.stringify(EQUAL));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), 'progress-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [outputs, file] = [join(folder, 'outputs.json'), join(folder, 'live.csv')];
  await writeFile(outputs, JSON.stringify({ stack: { ApiUrl: origin, ChangesQueueUrl: `${origin}/0/q` } }));
  await writeFile(file, 'sku,stock\nA-1,5\n');
  for (const [stream, to] of [
    ['stdout', undefined],
    ['stderr', written],
  ] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => Boolean(to?.push(String(text)) ?? true));
    const { isTTY } = process[stream];
    process[stream].isTTY = true;
    onTestFinished(() => {
      process[stream].isTTY = isTTY;
      vi.restoreAllMocks();
    });
  }
  const words = ['reconcile', file, '--store', 's-1', '--outputs', outputs, ...options];
  await createProgram().parseAsync(words, { from: 'user' });
  return { untilAnswer, atEnd: written.join('') };
}

test('the progress of a comparison stays in the terminal until its end', async () => {
  expect(await reconcileInTerminal()).toEqual({
    untilAnswer: '\r\u001b[Kreading products',
    atEnd: '\r\u001b[Kreading products\n',
  });
});

test('there is no progress with --json', async () => {
  expect((await reconcileInTerminal('--json')).atEnd).toBe('');
});
