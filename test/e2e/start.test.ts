import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../local/run/until.ts';
import { type StartCommand, startCommand } from './support/start-command.ts';

const STACK_TRACE = /^\s+at /m;

/** Runs a command in a shell, as when it is pasted there; gives its output. */
const paste = async (command: string) => (await promisify(execFile)('bash', ['-c', command])).stdout;

describe('the local run by `npm start -- --no-tour`', () => {
  let run: StartCommand;
  /** Of its own: other runs have their template and their outputs. */
  const directory = mkdtempSync(join(tmpdir(), 'start-'));
  const outputsFile = join(directory, 'outputs.json');

  beforeAll(async () => {
    run = startCommand(['--no-tour', '--outputs-file', outputsFile], {
      CDK_OUTDIR: join(directory, 'cdk.out'),
    });
    await run.until(/Running until Ctrl-C/);
  });

  afterAll(async () => {
    await run?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  test('says what it does from the beginning', async () => {
    expect(run.output()).toMatch(/^Synthesizing the stack …\n/);
    expect(run.output()).toMatch(/^Up: \d+ functions, connected to store-0wh, store-1wh, store-2wh\.$/m);
    expect(run.output()).not.toContain('\x1b');
  });

  test('prints commands that change a stock and show that it reached the marketplace', async () => {
    const commands = run.output().match(/^ {2}curl .*$/gm) ?? [];
    const [change, look, batches] = commands.map((command) => command.trim()) as [string, string, string];
    expect(JSON.parse(await paste(change))).toMatchObject({ items: 1 });
    const product = await until('the stock at the marketplace', async () => {
      const { data } = JSON.parse(await paste(look));
      return data.stock === 6 && data;
    });
    expect(product.sku).toBe('DEMO-1');
    expect(JSON.parse(await paste(batches)).batches[0]).toMatchObject({ kind: 'stock', state: 'completed' });
  });

  test('serves a console whose commands name the outputs file', async () => {
    const [url = ''] = /\S+\/open\?token=\S+/.exec(run.output()) ?? [];
    const [cookie = ''] = (await fetch(url, { redirect: 'manual' })).headers.getSetCookie();
    const answer = await fetch(new URL('/dead-letters/Changes', url), { headers: { cookie } });
    const { command } = (await answer.json()) as { command: string };
    expect(command).toBe(
      `npm run -s connector -- dlq redrive Changes --outputs ${relative(process.cwd(), outputsFile)}`,
    );
  });

  test('has a line for each thing that happens', async () => {
    await run.until(/call in +POST \/stores\/store-0wh\/stock: 202\n/);
    await run.until(/request +PATCH \/partner\/stores\/inventory, store-0wh, 1 row: 200\n/);
    await run.until(/batch +stock of store-0wh completed: 1 accepted, 0 rejected, batch [\w-]+\n/);
  });

  test('says why a row was rejected', async () => {
    const change = /^ {2}(curl .*)$/m.exec(run.output())?.[1] ?? '';
    await paste(change.replace('DEMO-1', 'NO-SUCH-SKU'));
    await run.until(/rejected +1 row of store-0wh \(NO-SUCH-SKU\): INV_001 Invalid SKU\n/);
  });

  test('ends at Ctrl-C with status 0, says so, and shows no stack', async () => {
    expect(JSON.parse(readFileSync(outputsFile, 'utf8')).MarketplaceConnector).toHaveProperty('ApiUrl');
    run.process.kill('SIGINT');
    expect(await run.ended()).toBe(0);
    expect(run.output()).toMatch(/\nStopping .*\nStopped\.\n$/);
    expect(run.output()).not.toMatch(STACK_TRACE);
    expect(existsSync(outputsFile)).toBe(false);
  });
});

describe('the local run says in one line, before anything else, that', () => {
  let server: Server;
  let port: number;

  beforeAll(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  afterAll(() => {
    server.close();
  });

  test('a port is taken, and which variable sets it', async () => {
    await using run = startCommand([], { SANDBOX_PORT: String(port) });
    expect(await run.ended()).toBe(1);
    expect(run.output()).toBe(
      `port ${port} is in use by another program: end that one, or set SANDBOX_PORT to a free port (0: any)\n`,
    );
  });

  test('the port of a sandbox alone is taken', async () => {
    await using run = startCommand([], { SANDBOX_PORT: String(port) }, 'sandbox');
    expect(await run.ended()).toBe(1);
    expect(run.output()).toBe(
      `port ${port} is in use by another program: choose a free port with --port or SANDBOX_PORT (0: any)\n`,
    );
  });

  test('a variable is wrong', async () => {
    await using run = startCommand([], { LOCAL_API_PORT: 'http' });
    expect(await run.ended()).toBe(1);
    expect(run.output()).toBe('LOCAL_API_PORT must be a port, 0 (any free one) to 65535, not "http"\n');
  });

  test('an option is unknown', async () => {
    await using run = startCommand(['--no-tuor']);
    expect(await run.ended()).toBe(1);
    expect(run.output()).toMatch(/^Unknown option '--no-tuor'; options: .*--no-tour.*\n$/);
  });
});

test('the local run stops as by Ctrl-C when the reader of its output goes away, as `head` does', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'start-'));
  await using run = startCommand(['--no-tour', '--outputs-file', join(directory, 'outputs.json')]);
  await run.until(/Synthesizing/);
  run.process.stdout?.destroy();
  expect(await run.ended()).toBe(0);
  expect(run.output()).not.toMatch(STACK_TRACE);
  rmSync(directory, { recursive: true });
});

test('`npm start -- --help` lists the options and the variables', async () => {
  await using run = startCommand(['--help']);
  expect(await run.ended()).toBe(0);
  for (const word of [
    '--no-tour',
    '--exit',
    '--quiet',
    'LOCAL_AWS_PORT',
    'SANDBOX_PORT',
    'MARKETPLACE_STORES',
  ])
    expect(run.output()).toContain(word);
});
