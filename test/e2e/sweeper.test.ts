import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simpleProduct, skuOf, variantProduct } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';
import { type CommandKey, planKey } from '../../shared/requests/model.ts';
import { getItem, setAttribute } from './support/set-attribute.ts';

let run: ConnectorRun;
let controls: SandboxControls;

beforeAll(async () => {
  run = await startQuickRun({ schedules: 'manual' });
  if (run.controls === undefined) throw new Error('these tests need the sandbox');
  controls = run.controls;
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

const batchesOf = async (storeClientId: string) =>
  (await run.partner.callApi('GET', `/batches?storeClientId=${storeClientId}`)).body.batches;
const batchOf = async (storeClientId: string) => (await batchesOf(storeClientId))[0];

/** The one request of a command. */
async function requestOf(command: CommandKey): Promise<string> {
  const plan = await getItem(run, { table: 'Requests', key: { recordId: `plan#${planKey(command)}` } });
  const [recordId] = (plan?.recordIds ?? []) as string[];
  return recordId ?? expect.unreachable('the command has no plan');
}

/** Imports products whose final summaries are lost; returns the batch once the stack is idle. */
async function importUnheard(storeClientId: string, products: unknown[]) {
  await controls.addFault({ path: '/partner/stores/catalog/*', fault: { webhook: 'drop' } });
  const text = products.map((product) => `${JSON.stringify(product)}\n`).join('');
  await run.partner.putImportFile(`catalog/${storeClientId}/unheard.ndjson`, text);
  await until('the products', async () => {
    const state = await controls.products(storeClientId);
    return state.products.length === products.length;
  });
  // Once announced, the record is not written any more, so the test may change it.
  const batch = await until('the batch', async () => {
    const found = await batchOf(storeClientId);
    return found?.announced.length > 0 && found;
  });
  expect(batch.state).toBe('submitted');
  return batch;
}

const letDeadlinePass = (batchId: string, deadlineAt: string) =>
  setAttribute(run, { table: 'Batches', key: { batchId }, name: 'deadlineAt', value: deadlineAt });

const justNow = () => new Date(Date.now() - 1_000).toISOString();

describe('a batch whose final summary was lost', () => {
  test('is resolved at its deadline, and not before, by reading its products back', async () => {
    const { batchId } = await importUnheard('store-0wh', [simpleProduct(1), simpleProduct(2)]);
    await run.local.triggerSchedule('BatchSweeper');
    expect(await batchOf('store-0wh')).toMatchObject({ state: 'submitted' });
    await letDeadlinePass(batchId, justNow());
    await run.local.triggerSchedule('BatchSweeper');
    expect(await batchOf('store-0wh')).toMatchObject({
      state: 'completed',
      rows: { sent: 2, accepted: 2, rejected: 0, unknown: 0 },
    });
  });

  test('rejects missing products, which a retry creates', async () => {
    const { batchId } = await importUnheard('store-1wh', [variantProduct(1)]);
    const [product] = (await controls.products('store-1wh')).products;
    await run.partner.callApi('POST', '/stores/store-1wh/products/deletions', { ids: [product?.id] });
    await letDeadlinePass(batchId, justNow());
    await run.local.triggerSchedule('BatchSweeper');
    expect(await batchOf('store-1wh')).toMatchObject({
      state: 'failed',
      rejectedRows: [{ rowIndex: 0, code: 'NOT_FOUND_BY_READ_BACK', sku: `${skuOf(1)}-BLACK` }],
    });
    expect((await run.partner.callApi('POST', `/batches/${batchId}/retry`)).status).toBe(202);
    await until('the retry', async () => {
      const { retryOf, state } = await batchOf('store-1wh');
      return retryOf === batchId && state === 'completed';
    });
  });

  test('ends unresolved when its store could not be read for too long', async () => {
    const { batchId } = await importUnheard('store-2wh', [simpleProduct(1)]);
    await controls.setStore('store-2wh', { blocked: true });
    await letDeadlinePass(batchId, justNow());
    await run.local.triggerSchedule('BatchSweeper');
    expect(await batchOf('store-2wh')).toMatchObject({ state: 'submitted' });
    expect((await run.partner.callApi('GET', '/stores/store-2wh')).body.state).toBe('suspended');
    const value = new Date(Date.now() - 3_600_000).toISOString();
    await setAttribute(run, { table: 'Batches', key: { batchId }, name: 'lookedAt', value });
    await run.local.triggerSchedule('BatchSweeper');
    expect(await batchOf('store-2wh')).toMatchObject({
      state: 'unresolved',
      rows: { sent: 1, accepted: 0, rejected: 0, unknown: 1 },
      unknownRows: [{ rowIndex: 0, sku: skuOf(1) }],
    });
  });
});

describe('a creation whose function was killed', () => {
  test('is recorded once its command is no longer redelivered', async () => {
    const commandId = 'died-1';
    await controls.addFault({ path: '/partner/stores/products/bulk', fault: { delayMs: 5_000 } });
    const seen = (await controls.products('store-0wh')).products.length;
    await run.partner.putEvents([
      {
        detailType: 'product.create.requested',
        detail: { storeClientId: 'store-0wh', commandId, products: [simpleProduct(71), simpleProduct(72)] },
      },
    ]);
    await until('the request', async () => {
      const { requests } = await controls.requests();
      return requests.some(({ path }) => path.endsWith('/products/bulk'));
    });
    expect(run.local.functions.kill('ProductProducer')).toBe(true);
    await until('the products', async () => {
      return (await controls.products('store-0wh')).products.length === seen + 2;
    });
    // As if hours had passed.
    const before = Date.now() - 2 * 3_600_000;
    const value = new Date(before).toISOString();
    const recordId = await requestOf({
      storeClientId: 'store-0wh',
      detailType: 'product.create.requested',
      commandId,
    });
    const request = { table: 'Requests', key: { recordId } };
    await setAttribute(run, { ...request, name: 'signedAt', value: before });
    await setAttribute(run, { ...request, name: 'touchedAt', value });
    const store = { storeClientId: 'store-0wh' };
    await setAttribute(run, { table: 'Stores', key: store, name: 'updatedAt', value });
    // Only the sweeper records the creation.
    expect(await batchesOf('store-0wh')).not.toContainEqual(expect.objectContaining({ commandId }));
    await run.local.triggerSchedule('BatchSweeper');
    const batches: { commandId?: string }[] = await batchesOf('store-0wh');
    expect(batches.find((batch) => batch.commandId === commandId)).toMatchObject({
      kind: 'product-create',
      state: 'completed',
      rows: { sent: 2, accepted: 2, rejected: 0, unknown: 0 },
    });
  });
});
