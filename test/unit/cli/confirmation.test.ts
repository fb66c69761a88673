import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { outputWith } from '../../../cli/context.ts';
import { createProgram } from '../../../cli/program.ts';
import type { Terminal } from '../../../cli/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'confirmation-'));
const [outputs, token, wanted] = ['outputs.json', 'token.txt', 'wanted.csv'].map((name) =>
  join(folder, name),
);

/** The requests that would change something, by method and path. */
let changes: string[];
const server = createServer(({ method, url }, response) => {
  if (method !== 'GET') changes.push(`${method} ${url}`);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(url?.startsWith('/imports/') ? importView : storeView));
});
const since = '2026-11-01T00:00:00.000Z';
const storeView = {
  storeClientId: 'S',
  state: 'connected',
  names: { products: 'sku', orders: 'orderId' },
  connectedAt: since,
  updatedAt: since,
};
const importId = '0123456789abcdef'.repeat(2);
const importView = {
  importId,
  storeClientId: 'S',
  bucket: 'imports',
  key: 'stock/S/full.csv',
  putAt: since,
  startedAt: since,
  since,
  state: 'held',
  batches: [],
};

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stack = { ApiUrl: origin, ChangesQueueUrl: `${origin}/000000000000/changes` };
  writeFileSync(outputs ?? '', JSON.stringify({ Stack: stack }));
  writeFileSync(token ?? '', 'a-token');
  writeFileSync(wanted ?? '', 'sku,stock\nA,1\n');
});

beforeEach(() => {
  changes = [];
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

test.each([
  'batches retry B',
  'batches read-back B',
  'batches resolve B --rest accepted',
  'orders resolve O --store S --action decision --outcome accepted',
  'orders retry O --store S --action dropoff',
  'orders erase O --store S',
  `imports release ${importId}`,
  `imports discard ${importId}`,
  `reconcile ${wanted} --store S --apply`,
  `stores connect S --token-file ${token}`,
  `stores rotate S --token-file ${token}`,
  'stores resume S',
  'stores unbind S',
  'stores release S',
  'stores discard S --everything',
  'sandbox reset',
])('without a person to ask and without --yes, `%s` changes nothing', async (command) => {
  const words = [
    ...command.split(' '),
    ...(command.startsWith('sandbox') ? [] : ['--outputs', outputs ?? '']),
  ];
  const ended = createProgram().parseAsync(words, { from: 'user' });
  await expect(ended).rejects.toMatchObject({ code: 'NOT_CONFIRMED', exitCode: 3 });
  expect(changes).toEqual([]);
});

describe('a question', () => {
  const terminal = (answer: boolean, isInteractive = true) => {
    const confirm = vi.fn(async () => answer);
    return { confirm, isInteractive } as unknown as Terminal & { confirm: typeof confirm };
  };

  test('is asked of the person, whose yes lets the command go on', async () => {
    const asked = terminal(true);
    await outputWith({}, asked).confirm('Drop all?');
    expect(asked.confirm.mock.calls).toEqual([['Drop all?']]);
  });

  test('whose answer is no ends the command', async () => {
    await expect(outputWith({}, terminal(false)).confirm('Drop all?')).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
      message: 'nothing was changed',
    });
  });

  test.each([
    ['with --json', { json: true }, terminal(true)],
    ['where no person is at the terminal', {}, terminal(true, false)],
  ])('is not asked, and its command ends, %s', async (_, options, asked) => {
    await expect(outputWith(options, asked).confirm('Drop all?')).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
      message: 'not confirmed: Drop all?',
    });
    expect(asked.confirm).not.toHaveBeenCalled();
  });

  test('is not asked with --yes, and its command goes on', async () => {
    const asked = terminal(false);
    await outputWith({ yes: true }, asked).confirm('Drop all?');
    expect(asked.confirm).not.toHaveBeenCalled();
  });
});
