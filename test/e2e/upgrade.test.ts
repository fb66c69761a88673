import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogLine } from '../../local/aws/model.ts';
import { simpleProduct, skuOf } from '../../local/run/catalog.ts';
import {
  type ConnectorRun,
  type ConnectorRunOptions,
  startConnector,
} from '../../local/run/connector-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';
import { startSandbox } from '../../sandbox/index.ts';
import { layPreviousVersion } from '../upgrade/previous-version.ts';
import { postSummary } from './support/signed-summary.ts';

const store = 'store-1wh';
const partner = { partnerClientId: 'sandbox-partner', partnerSecretKey: 'sandbox-partner-secret' };

const cleanup = new AsyncDisposableStack();
const lines: LogLine[] = [];
let options: ConnectorRunOptions;
let sandbox: SandboxControls;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'upgrade-'));
  cleanup.defer(() => rm(directory, { recursive: true }));
  // It goes on while the connector is deployed anew.
  const marketplace = await startSandbox({ port: 0 });
  cleanup.defer(() => marketplace.close());
  options = {
    marketplace: { baseUrl: marketplace.url, ...partner },
    dataDirectory: join(directory, 'data'),
    schedules: 'manual',
    log: (line) => void lines.push(line),
  };
});

afterAll(() => cleanup.disposeAsync());

const api = async (run: ConnectorRun, method: string, path: string, body?: object) =>
  (await run.partner.callApi(method, path, body)).body;

const productOf = async (number: number) =>
  (await sandbox.products(store)).products.find(({ sku }) => sku === skuOf(number));

/** Number of messages in flight, of all queues. An upgrade would kill their functions, and they would be redelivered much later. */
async function messagesInHand({ local }: ConnectorRun): Promise<number> {
  const { endpoint, region, adminCredentials: credentials } = local;
  const client = new SQSClient({ endpoint, region, credentials });
  const { QueueUrls = [] } = await client.send(new ListQueuesCommand({}));
  const counts = await Promise.all(
    QueueUrls.map(async (QueueUrl) => {
      const name = 'ApproximateNumberOfMessagesNotVisible';
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }),
      );
      return Number(Attributes?.[name] ?? 0);
    }),
  );
  client.destroy();
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Puts work of every kind in flight, and stops when each part of it waits. */
async function leaveWorkInFlight(run: ConnectorRun) {
  await run.partner.putImportFile(`catalog/${store}/first.ndjson`, `${JSON.stringify(simpleProduct(1))}\n`);
  await until('the first product', async () => (await productOf(1)) !== undefined);
  const batchesOfSyncs = `/batches?storeClientId=${store}&kind=catalog-sync`;
  await until('the end of its batch', async () => {
    const { batches } = await api(run, 'GET', batchesOfSyncs);
    return batches[0]?.state === 'completed';
  });

  await sandbox.addFault({ path: '/partner/stores/catalog/*', fault: { webhook: 'drop' } });
  await run.partner.putImportFile(`catalog/${store}/second.ndjson`, `${JSON.stringify(simpleProduct(2))}\n`);
  const openBatch = await until('a batch whose summary does not come', async () => {
    const { batches } = await api(run, 'GET', batchesOfSyncs);
    return batches.length === 2 && batches.find(({ state }: { state: string }) => state === 'submitted');
  });
  const { sid } = await api(run, 'POST', '/stores/onboarding', {});

  // From here on the marketplace refuses what is sent, and it waits.
  await run.partner.putSecret({ partnerSecretKey: 'a-key-that-is-refused' });
  const functions = ['ProductProducer', 'OrderProducer', 'DocumentFetcher', 'ListingProducer'];
  for (const name of functions) run.local.functions.kill(name);
  const { orderId } = await sandbox.createOrder({ storeClientId: store, subStatus: 'pending' });
  const shipped = await sandbox.createOrder({ storeClientId: store, subStatus: 'confirmed' });
  const detailOf = (detail: object) => ({ storeClientId: store, ...detail });
  await run.partner.putEvents([
    { detailType: 'stock.changed', detail: detailOf({ items: [{ sku: skuOf(1), stock: 77 }] }) },
    { detailType: 'price.changed', detail: detailOf({ items: [{ sku: skuOf(1), price: 4321 }] }) },
    { detailType: 'product.create.requested', detail: detailOf({ products: [simpleProduct(3)] }) },
    {
      detailType: 'order.decision.requested',
      detail: detailOf({ items: [{ orderId, decision: 'accept' }] }),
    },
    {
      detailType: 'order.document.requested',
      detail: detailOf({ orderId: shipped.orderId, document: 'shipping-label' }),
    },
  ]);
  const isDeferred = (name: string) =>
    lines.some(({ source, message }) => source.includes(name) && /"codes":\["AUTH_01/.test(message));
  await until('each command waits', () => functions.slice(0, 3).every(isDeferred), { withinMs: 60_000 });
  await until('the lane is stopped', () =>
    lines.some(
      ({ source, message }) =>
        source.includes('ListingProducer') && /"ended":"(stopped|partner-refused)"/.test(message),
    ),
  );
  await until('no message is in hand', async () => (await messagesInHand(run)) === 0);
  return { orderId, shippedId: shipped.orderId, openBatch: openBatch.batchId, sid };
}

test('work that the previous version has in flight is done by this version, and nothing is lost', async () => {
  const templatePath = await layPreviousVersion(join(directory, 'previous'));
  const before = await startConnector({ ...options, templatePath, stores: { [store]: `token-${store}` } });
  await using undeployed = new AsyncDisposableStack();
  undeployed.use(before);
  if (before.controls === undefined) throw new Error('the marketplace is no sandbox');
  sandbox = before.controls;
  const inFlight = await leaveWorkInFlight(before);
  // The URLs of queues and of the API stay the same in an update.
  const ports = {
    aws: Number(new URL(before.local.endpoint).port),
    api: Number(new URL(before.local.apiUrl).port),
  };
  await undeployed.disposeAsync();
  const sentBefore = (await sandbox.requests()).requests.length;

  await using run = await startConnector({ ...options, ports, isSecretUnset: true });
  expect(run.local.outputs).toMatchObject(before.local.outputs);
  await run.partner.putSecret({ partnerSecretKey: partner.partnerSecretKey });
  const { location } = await sandbox.completeOnboarding(inFlight.sid, 'store-2wh');
  expect((await fetch(location)).status).toBe(200);
  expect(await api(run, 'GET', '/stores/store-2wh')).toMatchObject({ state: 'connected' });
  const { openBatch } = inFlight;
  const summary = { batchId: openBatch, storeClientId: store, secret: partner.partnerSecretKey };
  expect(await postSummary(run.local, summary)).toBe(202);
  await until('the end of the batch that was open', async () => {
    const batch = await api(run, 'GET', `/batches/${openBatch}`);
    return batch.state === 'completed' && batch.rows.accepted === 1;
  });
  await until(
    'the effect of everything that waited',
    async () => {
      await run.local.triggerSchedule('LaneWaker');
      const [first, third] = [await productOf(1), await productOf(3)];
      const { decisions } = await sandbox.order(inFlight.orderId);
      const label = `documents/${store}/${inFlight.shippedId}/shipping-label.pdf`;
      const isSold = first?.stock === 77 && first.price === 4321 && third !== undefined;
      return isSold && decisions.length > 0 && run.partner.hasDocument(label);
    },
    { withinMs: 90_000, everyMs: 500 },
  );
  expect((await sandbox.order(inFlight.orderId)).decisions).toEqual([
    expect.objectContaining({ decision: 'accept' }),
  ]);
  expect((await sandbox.requests()).requests.length).toBeGreaterThan(sentBefore);
  await until('nothing waits for a person', async () => {
    const { attention } = await api(run, 'GET', '/attention');
    return attention.length === 0;
  });
  expect(await run.partner.deadLetters()).toEqual([]);
  expect(run.local.accessDenied).toEqual([]);
});
