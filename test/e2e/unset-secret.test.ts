import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogLine } from '../../local/aws/model.ts';
import { simpleProduct, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';
import { hastyTemplate } from '../../tools/chaos/hasty-template.ts';

const storeClientId = 'store-1wh';

let run: ConnectorRun;
let sandbox: SandboxControls;
const lines: LogLine[] = [];

beforeAll(async () => {
  run = await startQuickRun({
    template: await templateOfOneReceive(),
    isSecretUnset: true,
    schedules: 'manual',
    log: (line) => void lines.push(line),
  });
  if (run.controls === undefined) throw new Error('the marketplace is no sandbox');
  sandbox = run.controls;
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

/** A message that fails once is a dead letter. */
async function templateOfOneReceive() {
  const template = await hastyTemplate();
  for (const { Type, Properties = {} } of Object.values(template.Resources)) {
    if (Type !== 'AWS::SQS::Queue' || Properties.RedrivePolicy === undefined) continue;
    Properties.RedrivePolicy = { ...(Properties.RedrivePolicy as object), maxReceiveCount: 1 };
  }
  return template;
}

/** Deliveries in which the function deferred its commands. */
const deferralsOf = (functionId: string) =>
  lines.filter(
    ({ source, message }) => source.includes(functionId) && /"commands performed".*"SECRET_/.test(message),
  ).length;

const attention = async () => (await run.partner.callApi('GET', '/attention')).body.attention;

test('commands that are given before the secret is set wait for longer than a message may fail, and are carried out once it is set', async () => {
  const { orderId } = await sandbox.createOrder({ storeClientId, subStatus: 'pending' });
  const shipped = await sandbox.createOrder({ storeClientId, subStatus: 'confirmed' });
  await run.partner.putEvents([
    { detailType: 'product.create.requested', detail: { storeClientId, products: [simpleProduct(1)] } },
    {
      detailType: 'order.decision.requested',
      detail: { storeClientId, items: [{ orderId, decision: 'accept' }] },
    },
    {
      detailType: 'order.document.requested',
      detail: { storeClientId, orderId: shipped.orderId, document: 'shipping-label' },
    },
  ]);
  const functions = ['ProductProducer', 'OrderProducer', 'DocumentFetcher'];
  await until('the second delivery of each command', () => functions.every((id) => deferralsOf(id) >= 2), {
    withinMs: 60_000,
  });
  expect(await run.partner.deadLetters()).toEqual([]);
  expect((await sandbox.requests()).requests).toEqual([]);

  expect(await attention()).toEqual([
    {
      kind: 'partner-refused',
      severity: 'critical',
      remedies: [expect.objectContaining({ name: 'put-secret' })],
      since: expect.any(String),
      why: expect.stringContaining('SECRET_PLACEHOLDER'),
      call: expect.stringContaining(`put-secret-value --secret-id ${run.local.outputs.PartnerSecretArn} `),
    },
  ]);
  await run.local.triggerSchedule('LaneWaker');
  const measured = lines.filter(({ source }) => source.includes('LaneWaker')).map(({ message }) => message);
  expect(measured.join('\n')).toContain('"LanesStopped":1');
  const path = `/stores/${storeClientId}`;
  expect(await run.partner.callApi('PUT', path, { storeToken: `token-${storeClientId}` })).toMatchObject({
    status: 502,
    body: { error: { code: 'SECRET_PLACEHOLDER' } },
  });

  await run.partner.putSecret({ partnerSecretKey: run.marketplace.partnerSecretKey });
  const connected = await run.partner.callApi('PUT', path, { storeToken: `token-${storeClientId}` });
  expect(connected.status).toBe(200);
  await until(
    'the effect of each command',
    async () => {
      const { products } = await sandbox.products(storeClientId);
      const { decisions } = await sandbox.order(orderId);
      const label = `documents/${storeClientId}/${shipped.orderId}/shipping-label.pdf`;
      const isMade = products.some(({ sku }) => sku === skuOf(1));
      return isMade && decisions.length === 1 && run.partner.hasDocument(label);
    },
    { withinMs: 60_000, everyMs: 250 },
  );
  expect(await run.partner.deadLetters()).toEqual([]);
  expect(await attention()).toEqual([]);
  expect(run.local.accessDenied).toEqual([]);
});
