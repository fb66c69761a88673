import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createProgram } from '../../../cli/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'cut-lists-'));
const outputs = join(folder, 'outputs.json');
const at = '2026-11-01T00:00:00.000Z';
const importView = {
  importId: 'i-1',
  storeClientId: 'S',
  bucket: 'imports',
  key: 'stock/S/a.csv',
  putAt: at,
  startedAt: at,
  since: at,
  state: 'reading',
  batches: [],
};
const batch = {
  batchId: 'b-1',
  state: 'completed',
  kind: 'stock',
  storeClientId: 'S',
  submittedAt: at,
  summary: { total: 1, failed: 0, pending: 0 },
  rejectedRows: [],
  rows: { sent: 1, accepted: 1, rejected: 0, unknown: 0 },
  unconfirmedRows: 0,
  announced: [],
};
/** The cursor of the answers. */
let cursor: string | undefined;
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ imports: [importView], batches: [batch], cursor }));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    outputs,
    JSON.stringify({ Stack: { ApiUrl: origin, ChangesQueueUrl: `${origin}/000000000000/changes` } }),
  );
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function listed(command: string) {
  const written = { out: '', error: '' };
  const writeTo = (name: keyof typeof written) => (text: unknown) => {
    written[name] += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(writeTo('out'));
  vi.spyOn(process.stderr, 'write').mockImplementation(writeTo('error'));
  await createProgram().parseAsync([...command.split(' '), '--outputs', outputs], { from: 'user' });
  return written;
}

test.each(['batches list', 'imports list'])(
  '`%s --json` prints an array, and on standard error the cursor at which it goes on',
  async (command) => {
    cursor = 'behind-1';
    const { out, error } = await listed(`${command} --limit 1 --json`);
    expect(JSON.parse(out)).toHaveLength(1);
    expect(JSON.parse(error)).toEqual({ cursor });
    expect(await listed(`${command} --limit 1`)).toMatchObject({
      out: expect.stringContaining('There may be more: --cursor behind-1'),
      error: '',
    });
    cursor = undefined;
    expect((await listed(`${command} --limit 1 --json`)).error).toBe('');
  },
);
