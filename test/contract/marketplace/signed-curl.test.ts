import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../sandbox/index.ts';

const run = promisify(execFile);
const SIGNED_SH = fileURLToPath(new URL('../../../docs/signed.sh', import.meta.url));
const BODY = '{"items":[{"sku":"none-such","stock":1}]}';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** Calls the function `signed` in plain sh; gives the answer's error code, `undefined` for a request that is accepted. */
async function codeOf(
  request: readonly string[],
  settings: Record<string, string> = {},
): Promise<string | undefined> {
  const env = { PATH: process.env.PATH, BASE_URL: sandbox.url, ...settings };
  const script = '. "$0"; signed "$@"';
  const { stdout } = await run('sh', ['-c', script, SIGNED_SH, ...request], { env, timeout: 15_000 });
  const { success, error } = JSON.parse(stdout) as { success: boolean; error?: { code: string } };
  expect(success).toBe(error === undefined);
  return error?.code;
}

describe('docs/signed.sh', () => {
  it.each([
    ['a read', ['GET', '/partner/stores/warehouses']],
    ['a read with a query', ['GET', '/partner/stores/products?page=1&limit=5']],
    ['a write', ['PATCH', '/partner/stores/inventory', BODY]],
  ])('signs %s', async (_, request) => {
    expect(await codeOf(request)).toBeUndefined();
  });

  it('signs a call without store headers where the store is empty', async () => {
    const settings = { STORE: '' };
    expect(await codeOf(['POST', '/partner/stores/store-2wh/unbind'], settings)).toBeUndefined();
  });

  it('is refused with another secret', async () => {
    expect(await codeOf(['GET', '/partner/stores/warehouses'], { SECRET: 'sandbox-partner-secreT' })).toBe(
      'AUTH_010',
    );
  });
});
