import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ListRulesCommand } from '@aws-sdk/client-eventbridge';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAwsClients } from '../../cli/clients/aws-clients.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { targetOf } from '../../local/run/run-console.ts';
import { until } from '../../local/run/until.ts';
import { type CommandLine, commandLineScript, createCommandLine } from './support/command-line.ts';

const store = 'store-0wh';

let run: ConnectorRun;
let connector: CommandLine;

beforeAll(async () => {
  run = await startQuickRun();
  connector = await createCommandLine(run);
  await mkdir(join(connector.folder, 'folder.csv'));
});

afterAll(async () => {
  await connector?.[Symbol.asyncDispose]();
  await run?.[Symbol.asyncDispose]();
});

/** Starts a command. `stdout`: a file descriptor in place of the stream. */
function start(args: readonly string[], stdout: 'pipe' | number = 'pipe') {
  const outputs = join(connector.folder, 'outputs.json');
  const child = spawn(process.execPath, [commandLineScript, ...args, '--outputs', outputs], {
    env: { ...process.env, FORCE_COLOR: undefined },
    stdio: ['ignore', stdout, 'pipe'],
  });
  const stderr = text(child.stderr as Readable);
  return { child, stderr, ended: once(child, 'close') };
}

const putChange = () =>
  run.partner.putEvents([
    { detailType: 'stock.changed', detail: { storeClientId: store, items: [{ sku: 'NO-SUCH', stock: 1 }] } },
  ]);

describe('an argument that names nothing is refused as such:', () => {
  test.each([
    [`import folder.csv --store ${store}`, 'USAGE: cannot read folder.csv: it is a folder\n'],
    [`reconcile folder.csv --store ${store}`, 'USAGE: cannot read folder.csv: it is a folder\n'],
    ['batches show ..', 'USAGE: ".." is no ID\n'],
    ['drift list --store ..', 'USAGE: ".." is no ID\n'],
    ['batches show ', 'USAGE: "" is no ID\n'],
    ['trace ', 'USAGE: an ID must be given\n'],
  ])('%s', async (command, message) => {
    const { exitCode, stdout, stderr } = await connector.run(command);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

test('another program at the address of the sandbox is no sandbox', async () => {
  const command = `sandbox order --store ${store} --url ${run.local.endpoint}`;
  expect(await connector.run(command)).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining(`UNREACHABLE: no sandbox at ${run.local.endpoint}\n`),
  });
});

test.skipIf(!existsSync('/dev/full'))(
  'an output that cannot be written is an error without a stack',
  async () => {
    const full = openSync('/dev/full', 'w');
    const { stderr, ended } = start(['stores', 'list'], full);
    closeSync(full);
    expect(await ended).toEqual([1, null]);
    expect(await stderr).toMatch(/^ENOSPC: .*\n$/);
  },
);

describe('listen', () => {
  test.each<[string, (child: ReturnType<typeof start>['child']) => unknown]>([
    ['the reader of its output goes away', ({ stdout }) => stdout?.destroy()],
    ['its terminal is closed', (child) => child.kill('SIGHUP')],
  ])('removes its queue and its rule when %s', async (_, happens) => {
    const { child, ended } = start(['listen', '--json']);
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
    });
    child.stdout?.once('data', () => happens(child));
    await until('the end of the command', async () => {
      await putChange();
      return hasEnded;
    });
    expect(await ended).toEqual([0, null]);
    using aws = createAwsClients(targetOf(run));
    const { QueueUrls = [] } = await aws.queues.send(new ListQueuesCommand({}));
    expect(QueueUrls.filter((url) => url.includes('connector-listen'))).toEqual([]);
    const EventBusName = run.local.outputs.EventBusName;
    const { Rules = [] } = await aws.events.send(new ListRulesCommand({ EventBusName }));
    expect(Rules.filter(({ Name = '' }) => Name.includes('connector-listen'))).toEqual([]);
  });

  test('says that the stack cannot be reached any more', async () => {
    const { child, stderr, ended } = start(['listen']);
    await once(child.stderr as Readable, 'data');
    await run[Symbol.asyncDispose]();
    expect(await ended).toEqual([4, null]);
    expect(await stderr).toMatch(/^UNREACHABLE: cannot reach the stack: .*127\.0\.0\.1/m);
  });
});
