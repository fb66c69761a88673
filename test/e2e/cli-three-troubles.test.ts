import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ndjsonCatalog, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';
import { type CommandLine, createCommandLine } from './support/command-line.ts';
import { waitByApi } from './support/wait-by-api.ts';

const store = 'store-1wh';
const sku = skuOf(1);

let run: ConnectorRun;
let connector: CommandLine;
let controls: SandboxControls;
let wait: ReturnType<typeof waitByApi>;

beforeAll(async () => {
  run = await startQuickRun();
  connector = await createCommandLine(run);
  wait = waitByApi(run);
  if (run.controls === undefined) throw new Error('the marketplace is no sandbox');
  controls = run.controls;
  await run.partner.putImportFile(`catalog/${store}/first.ndjson`, ndjsonCatalog(1));
  await until('the product', async () => (await controls.products(store)).products.length === 1);
}, 120_000);

afterAll(async () => {
  await connector?.[Symbol.asyncDispose]();
  await run?.[Symbol.asyncDispose]();
});

const statusText = async () => (await connector.run('status')).stdout;

/** The command that a status offers, without the program's name and the options of the stack. */
function offered(status: string, command: string): string {
  const line = status.split('\n').find((one) => one.includes(`→`) && one.includes(` ${command}`)) ?? '';
  const [words = ''] = line.slice(line.indexOf(command)).split(' --outputs ');
  return words.trim();
}

const putStock = (stock: number) =>
  run.partner.putEvents([
    {
      detailType: 'stock.changed',
      detail: { storeClientId: store, occurredAt: Date.now(), items: [{ sku, stock }] },
    },
  ]);
const stockIs = (stock: number) =>
  until(
    `a stock of ${stock}`,
    async () => (await controls.products(store)).products.find((one) => one.sku === sku)?.stock === stock,
    { withinMs: 60_000 },
  );

test('a marketplace that answers 503 is found by the first line of status, the trace says what waits for it, and it ends by itself', async () => {
  await controls.addFault({ path: '*', times: 10_000, fault: { status: 503, code: 'SYS_DEP_503' } });
  await putStock(11);
  await wait.healthIs('failing');
  const status = await statusText();
  expect(status).toMatch(/^The marketplace answers 503 SYS_DEP_503 since /);
  expect(status).toContain('Nothing needs you.');
  const { stdout: trace } = await connector.run(`trace ${sku} --store ${store}`);
  expect(trace).toMatch(/value\.waiting.*waits for the marketplace.*503/);
  await controls.clearFaults();
  await stockIs(11);
  await wait.healthIs('healthy');
  expect(await statusText()).toMatch(/^The marketplace answers; /);
});

test('a revoked token is found by status, which offers the new token first; resuming can not work, and says so', async () => {
  await controls.setStore(store, { token: 'the-new-token' });
  await putStock(12);
  await wait.needs('store-suspended');
  const status = await statusText();
  expect(status).toMatch(/✖ critical: store suspended · store-1wh/);
  const rotate = offered(status, 'stores rotate');
  const resume = offered(status, 'stores resume');
  expect([rotate, resume]).toEqual([`stores rotate ${store} --token-file -`, `stores resume ${store}`]);
  expect(status.indexOf(rotate)).toBeLessThan(status.indexOf(resume));
  expect(await connector.run(`${resume} --yes`)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/STORE_REFUSED: .*\nNothing was changed\./),
  });
  expect(await connector.run(`${rotate} --yes`, { input: 'the-new-token' })).toMatchObject({
    exitCode: 0,
    stdout: `${store} is connected\n`,
  });
  await stockIs(12);
  await wait.nothingNeeds();
  expect(await statusText()).toContain('Nothing needs you.');
});

test('of two poison messages one is sent again and one deleted with a reason, as status and dlq show offer', async () => {
  const { endpoint, region, adminCredentials: credentials, outputs } = run.local;
  const queues = new SQSClient({ endpoint, region, credentials });
  const name = outputs.ChangesDeadLettersArn?.split(':').at(-1);
  const QueueUrl = `${endpoint}/000000000000/${name}`;
  const put = async (id: string, itemSku: string, stock: number) => {
    const detail = { storeClientId: store, occurredAt: Date.now(), items: [{ sku: itemSku, stock }] };
    const MessageBody = JSON.stringify({ id, 'detail-type': 'stock.changed', detail });
    await queues.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  };
  await put('poison-good', sku, 13);
  await put('poison-bad', 'NEVER-MADE', 1);
  await wait.needs('dead-letters');
  const status = await statusText();
  expect(status).toMatch(/✖ critical: queue with dead letters/);
  expect((await connector.run('find NOT-KNOWN')).stderr).toContain('the 2 dead letters of the queue Changes');
  const shown = await connector.json(offered(status, 'dlq show'));
  const letters: { eventId: string; messageId: string }[] = shown.letters;
  const bad = letters.find(({ eventId }) => eventId === 'poison-bad')?.messageId;
  const deletion = `dlq delete ${name} --message ${bad} --reason a-test-sent-it --yes`;
  expect(await connector.json(deletion)).toMatchObject({ deleted: [bad] });
  // The deletion of the bad one hides the other one for seconds.
  await until('the other one in sight again', async () => {
    const count = 'ApproximateNumberOfMessages';
    const { Attributes } = await queues.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [count] }),
    );
    return Attributes?.[count] === '1';
  });
  queues.destroy();
  expect((await connector.run(`${offered(status, 'dlq redrive')} --yes`)).stdout).toMatch(
    /^Moved 1 message /,
  );
  await stockIs(13);
  expect((await connector.run('trace poison-bad')).stdout).toMatch(/DEAD_LETTER_DELETED.*a-test-sent-it/);
  const { rejections } = await connector.json('rejections --code DEAD_LETTER_DELETED');
  expect(rejections).toMatchObject([{ eventId: 'poison-bad', sku: 'NEVER-MADE', storeClientId: store }]);
  await wait.nothingNeeds();
  expect(await statusText()).toContain('Nothing needs you.');
  expect(run.local.accessDenied).toEqual([]);
});
