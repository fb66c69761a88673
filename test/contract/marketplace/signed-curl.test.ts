import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';

const run = promisify(execFile);
const README = fileURLToPath(new URL('../../../README.md', import.meta.url));
const BODY = '{"items":[{"sku":"none-such","stock":1}]}';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** The recipe, copied from the README. */
async function recipe(): Promise<string> {
  const blocks = (await readFile(README, 'utf8')).split(/^```(?:sh)?\n/m);
  const found = blocks.find((block) => block.includes('openssl dgst'));
  if (found === undefined) throw new Error('the README has no recipe for signing');
  return found;
}

/** Runs the recipe and reads the answer's error code; `undefined` for a request that is accepted. */
async function codeOf(
  [METHOD = '', TARGET = '', BODY = '']: string[],
  settings: Record<string, string> = {},
): Promise<string | undefined> {
  const env = {
    PATH: process.env.PATH,
    BASE_URL: sandbox.url,
    PARTNER: 'sandbox-partner',
    SECRET: 'sandbox-partner-secret',
    STORE: 'store-1wh',
    TOKEN: 'token-store-1wh',
    METHOD,
    TARGET,
    BODY,
    ...settings,
  };
  const { stdout } = await run('sh', ['-c', await recipe()], { env, timeout: 15_000 });
  const [body = '', status] = stdout.split(/\n(?=\d{3}$)/);
  const { error } = JSON.parse(body) as { error?: { code: string } };
  expect(status).toMatch(error ? /^4\d\d$/ : '200');
  return error?.code;
}

describe('the recipe with openssl and curl in the README', () => {
  it.each([
    ['a read', ['GET', '/partner/stores/warehouses']],
    ['a read with a query', ['GET', '/partner/stores/products?page=1&limit=5']],
    ['a write', ['PATCH', '/partner/stores/inventory', BODY]],
  ])('is accepted: %s', async (_, request) => {
    expect(await codeOf(request)).toBeUndefined();
  });

  it('is refused with another secret', async () => {
    expect(await codeOf(['GET', '/partner/stores/warehouses'], { SECRET: 'sandbox-partner-secreT' })).toBe(
      'AUTH_010',
    );
  });
});
