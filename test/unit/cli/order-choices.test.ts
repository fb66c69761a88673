import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createProgram } from '../../../cli/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'order-choices-'));
const outputs = join(folder, 'outputs.json');
const at = '2026-11-01T00:00:00.000Z';
/** State of the decision of the order. */
let state: string | undefined;
const server = createServer((_, response) => {
  const decision = { state, commandId: 'c-1', recordId: 'r-1', startedAt: at, decision: 'accept' };
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      storeClientId: 'S',
      orderKey: 'orderId:o-1',
      orderId: 'o-1',
      ...(state !== undefined && { decision }),
    }),
  );
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stack = { ApiUrl: origin, ChangesQueueUrl: `${origin}/000000000000/changes` };
  writeFileSync(outputs, JSON.stringify({ Stack: stack }));
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const choices = () =>
  createProgram().parseAsync(
    ['orders', 'resolve', 'o-1', '--store', 'S', '--action', 'decision', '--outputs', outputs],
    { from: 'user' },
  );

test.each([
  ['accepted', 'accepted'],
  ['rejected', 'rejected'],
  [undefined, 'not given'],
])('no outcome is offered for a decision whose state is %s', async (known, said) => {
  state = known;
  await expect(choices()).rejects.toMatchObject({
    code: 'ORDER_NOT_UNKNOWN',
    exitCode: 1,
    message: `the decision of this order is ${said}`,
  });
});

test.each(['unknown', 'sending'])(
  'the three outcomes are offered for a decision that is %s',
  async (open) => {
    state = open;
    const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    await choices();
    expect(String(write.mock.calls)).toContain('--outcome retry');
  },
);
