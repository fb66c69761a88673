import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAwsClients } from '../../cli/clients/aws-clients.ts';
import { requestLine } from '../../cli/render/request-line.ts';
import { followLoggedRequests } from '../../cli/requests/logged-requests.ts';
import type { LogLine } from '../../local/aws/model.ts';
import { simpleProduct, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { startDeployedStack } from '../doubles/deployed-stack.ts';
import { importProducts } from './support/import-products.ts';
import { postSummary } from './support/signed-summary.ts';

const storeClientId = 'store-0wh';

let run: ConnectorRun;
let logged: LogLine[];

beforeAll(async () => {
  logged = [];
  run = await startQuickRun({ log: (line) => void logged.push(line) });
  await importProducts(run, storeClientId, 2);
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

// biome-ignore lint/suspicious/noExplicitAny: each message has fields of its own
type Line = Record<string, any>;

/** Structured lines that contain `text`, as a search of the log finds them. */
const linesWith = (text: string): Line[] =>
  logged
    .map(({ message }) => message)
    .filter((message) => message.startsWith('{') && message.includes(`"${text}"`))
    .map((message) => JSON.parse(message))
    .filter(({ _aws }) => _aws === undefined);

const lineWith = (text: string, service: string, message: string): Promise<Line> =>
  until(`"${message}" of the ${service} with ${text}`, () =>
    linesWith(text).find((line) => line.service === service && line.message === message),
  );

const send = async (detailType: string, detail: object) => {
  const [eventId = ''] = await run.partner.putEvents([{ detailType, detail: { storeClientId, ...detail } }]);
  return eventId;
};

describe('the log lines', () => {
  test('lead from a stock event to the row that was sent for it, and to its batch', async () => {
    const eventId = await send('stock.changed', { items: [{ sku: skuOf(1), stock: 31 }] });

    const taken = await lineWith(eventId, 'change-intake', 'events processed');
    const event = taken.events.find((one: Line) => one.eventId === eventId);
    expect(event).toMatchObject({ storeClientId, targets: [`sku:${skuOf(1)}`], rejected: 0 });

    const [target] = event.targets;
    const sent = await lineWith(target, 'listing-producer', 'request sent');
    expect(sent).toMatchObject({ storeClientId, method: 'PATCH', path: '/partner/stores/inventory' });
    expect(sent.messageId).toEqual(expect.any(String));
    const ended = await lineWith(sent.recordId, 'listing-producer', 'request ended');
    expect(ended).toMatchObject({ outcome: 'accepted', status: 200, requestId: expect.any(String) });
    const batch = await until('the batch', () =>
      run.partner.getItem('BatchesTableName', { batchId: ended.batchId }),
    );
    expect(batch).toMatchObject({ attemptId: sent.recordId, requestId: ended.requestId });
  });

  test('lead from a command to its request, its batch, and the final summary that came by webhook', async () => {
    const commandId = 'order-of-new-products-1';
    const products = [simpleProduct(21)];
    // The marketplace's own summary may come before the batch is recorded.
    await run.controls?.addFault({ path: '/partner/stores/catalog/*', fault: { webhook: 'drop' } });
    const early = 'a-summary-without-a-batch';
    const secret = run.marketplace.partnerSecretKey;
    await postSummary(run.local, { batchId: early, storeClientId, secret });
    await lineWith(early, 'summary-processor', 'summary kept for its batch');
    const eventId = await send('catalog.sync.requested', { commandId, products });

    const performed = await lineWith(eventId, 'product-producer', 'commands performed');
    expect(performed.commands).toContainEqual(
      expect.objectContaining({ eventId, commandId, storeClientId, messageId: expect.any(String) }),
    );
    const ended = await lineWith(eventId, 'product-producer', 'request ended');
    expect(ended).toMatchObject({
      storeClientId,
      eventIds: [eventId],
      commandIds: [commandId],
      outcome: 'accepted',
      recordId: expect.any(String),
      requestId: expect.any(String),
      batchId: expect.any(String),
    });
    await until('the batch', () => run.partner.getItem('BatchesTableName', { batchId: ended.batchId }));
    await postSummary(run.local, { batchId: ended.batchId, storeClientId, secret });
    const applied = await lineWith(ended.batchId, 'summary-processor', 'summary applied');
    expect(applied).toMatchObject({ recordId: ended.recordId, commandIds: [commandId], storeClientId });
    const received = await lineWith(ended.batchId, 'webhook-receiver', 'summary received');
    expect(received).toMatchObject({ storeClientId, apiRequestId: expect.any(String) });
  });

  test('of a rejected event and of a refused request have its IDs and the reason', async () => {
    const badId = await send('stock.changed', { items: [{ sku: skuOf(1), stock: 1.5 }] });
    const taken = await lineWith(badId, 'change-intake', 'events processed');
    expect(taken.events).toContainEqual(
      expect.objectContaining({ eventId: badId, targets: [], rejected: 1, redelivered: false }),
    );

    const orderId = '00000000-0000-4000-8000-000000000001';
    const refusedId = await send('order.decision.requested', { items: [{ orderId, decision: 'accept' }] });
    const ended = await lineWith(refusedId, 'order-producer', 'request ended');
    expect(ended).toMatchObject({ level: 'WARN', outcome: 'refused', eventIds: [refusedId] });
    expect(ended.code).toEqual(expect.any(String));
    expect(ended.requestId).toEqual(expect.any(String));
  });
});

const CALLERS = ['ListingProducer', 'ProductProducer', 'OrderProducer', 'DocumentFetcher'];
const OTHER_CALLERS = ['BatchSweeper', 'ListingVerifier', 'OperationsApi', 'OnboardingCallback'];

test('the requests of a deployed stack and their outcomes are listed from what its functions log', async () => {
  const stack = await startDeployedStack([CALLERS, OTHER_CALLERS]);
  using aws = createAwsClients(stack.target);
  let now = Date.now();
  const next = await followLoggedRequests({ aws, target: stack.target }, () => now);
  expect(await next()).toEqual([]);

  // What earlier tests have begun is not among the lines.
  await run.local.idle();
  const first = logged.length;
  // In a second that had another value before, the event's own time would let the smaller one win.
  await send('stock.changed', { occurredAt: Date.now(), items: [{ sku: skuOf(1), stock: 78 }] });
  const ended = await until('the end of its request', () =>
    logged.slice(first).find(({ message }) => message.includes('"request ended"')),
  );
  stack.events.set(
    'group-of-ListingProducer',
    logged
      .slice(first, logged.indexOf(ended) + 1)
      .map(({ message }, index) => ({ eventId: String(index), timestamp: now, message })),
  );
  expect(await next()).toEqual([]);
  now += 5_000;
  const steps = await next();
  stack.close();

  const call = 'PATCH /partner/stores/inventory  store-0wh';
  const lines = steps.map((step) => requestLine(step, { style: (_, shown) => shown }).slice(9));
  expect(lines).toEqual(expect.arrayContaining([`→ ${call}`, `← ${call} 200`]));
  expect(steps.at(-1)?.request).toMatchObject({ batchId: expect.any(String), outcome: 'accepted' });
  expect(new Set(stack.asked.map(({ logGroupName }) => logGroupName)).size).toBe(8);
});
