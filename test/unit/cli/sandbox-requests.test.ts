import { afterAll, beforeAll, expect, test } from 'vitest';
import { callControl } from '../../../cli/clients/sandbox-client.ts';
import { requestLine } from '../../../cli/render/request-line.ts';
import { followSandboxRequests } from '../../../cli/requests/sandbox-requests.ts';
import { startSandbox } from '../../../sandbox/index.ts';
import { plainTerminal } from './plain-terminal.ts';

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0 });
});
afterAll(() => sandbox.close());

const NOW = Date.parse('2026-11-22T15:00:00Z');
const ask = (path: string) => fetch(`${sandbox.url}/api/v1${path}`).catch(() => undefined);

test('requests at the sandbox are followed from now on, each with its answer, once', async () => {
  await ask('/partner/reference/brands');
  const next = await followSandboxRequests(sandbox.url, () => NOW);
  expect(await next()).toEqual([]);

  const path = '/partner/reference/brands';
  await callControl(sandbox.url, 'POST', '/faults', { path, fault: { drop: 'before' } });
  await ask(path);
  await ask('/partner/stores/products');
  const steps = await next();
  expect(steps.map(({ what, request }) => [what, request.path, request.status])).toEqual([
    ['request', path, null],
    ['request', '/partner/stores/products', 401],
    ['answer', '/partner/stores/products', 401],
  ]);
  expect(await next()).toEqual([]);

  const [, request, answer] = steps;
  const lines = [request, answer].map((step) => step && requestLine(step, plainTerminal));
  expect(lines).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d → GET \/partner\/stores\/products {2}-$/),
    expect.stringMatching(/^15:00:00 ← GET \/partner\/stores\/products {2}- 401 AUTH_\d+$/),
  ]);
});

test('a sandbox that is not there is named', async () => {
  await expect(followSandboxRequests('http://127.0.0.1:1')).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'no sandbox at http://127.0.0.1:1',
  });
});
