import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  externalIdOf,
  ndjsonCatalog,
  simpleProduct,
  skuOf,
  variantProduct,
} from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';

interface Batch {
  readonly batchId: string;
  readonly state: string;
  readonly retryOf?: string;
  readonly rejectedRows: readonly { code: string; rowIndex: number }[];
}

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

const batchesOf = async (storeClientId: string): Promise<Batch[]> =>
  (await run.partner.callApi('GET', `/batches?storeClientId=${storeClientId}`)).body.batches;

const putCatalog = (storeClientId: string, name: string, text: string) =>
  run.partner.putImportFile(`catalog/${storeClientId}/${name}.ndjson`, text);

const lines = (...rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Waits until the store has `count` batches and each has ended; returns the newest first. */
const ended = (storeClientId: string, count: number) =>
  until(`${count} ended batches of ${storeClientId}`, async () => {
    const batches = await batchesOf(storeClientId);
    return batches.length === count && batches.every(({ state }) => state !== 'submitted') && batches;
  });

const skusOf = async (storeClientId: string) =>
  (await controls.products(storeClientId)).products.map(({ sku }) => sku).sort();

describe('a batch with failed rows', () => {
  const store = 'store-0wh';
  let failed: Batch;

  beforeAll(async () => {
    await putCatalog(store, 'first', ndjsonCatalog(2));
    await ended(store, 1);
    await putCatalog(store, 'second', lines(simpleProduct(2), simpleProduct(3)));
    const [newest] = await ended(store, 2);
    if (newest === undefined) throw new Error('no batch');
    failed = newest;
  });

  test('shows which rows failed and why', () => {
    expect(failed).toMatchObject({
      state: 'completed_with_errors',
      rows: { sent: 2, accepted: 1, rejected: 1, unknown: 0 },
      rejectedRows: [{ rowIndex: 0, code: 'PRD_002', externalId: externalIdOf(2) }],
    });
  });

  test('is found by store, state, kind and time, one page at a time', async () => {
    const query = `storeClientId=${store}&state=completed_with_errors&kind=catalog-sync&since=2026-01-01T00:00:00Z`;
    const { body } = await run.partner.callApi('GET', `/batches?${query}`);
    expect(body.batches.map(({ batchId }: Batch) => batchId)).toEqual([failed.batchId]);
    const { body: all } = await run.partner.callApi('GET', '/batches?kind=catalog-sync');
    expect(all.batches.map(({ batchId }: Batch) => batchId)).toContain(failed.batchId);
    const first = await run.partner.callApi('GET', `/batches?storeClientId=${store}&limit=1`);
    const cursor = encodeURIComponent(first.body.cursor);
    const second = await run.partner.callApi(
      'GET',
      `/batches?storeClientId=${store}&limit=1&cursor=${cursor}`,
    );
    expect(second.body.batches[0].batchId).not.toBe(first.body.batches[0].batchId);
  });

  test('is not found by its request ID, and an ID that is too long is refused', async () => {
    const { body } = await run.partner.callApi('GET', `/batches/${failed.batchId}`);
    const byRequest = await run.partner.callApi('GET', `/batches/request:${body.requestId}`);
    expect(byRequest).toMatchObject({ status: 404, body: { error: { code: 'BATCH_UNKNOWN' } } });
    expect(await run.partner.callApi('GET', `/batches/${'x'.repeat(501)}`)).toMatchObject({ status: 400 });
  });

  test('returns its failed rows as a file that imports once it is corrected', async () => {
    const { status, body: text } = await run.partner.callApi('GET', `/batches/${failed.batchId}/rejects`);
    expect(status).toBe(200);
    const [line = '', ...others] = text.trimEnd().split('\n');
    expect(others).toEqual([]);
    const row = JSON.parse(line);
    expect(row).toMatchObject({ ...simpleProduct(2), _rejection: { rowIndex: 0, code: 'PRD_002' } });
    await putCatalog(store, 'corrected', lines({ ...row, externalId: externalIdOf(20), sku: skuOf(20) }));
    await ended(store, 3);
    expect(await skusOf(store)).toContain(skuOf(20));
  });

  test('retries its rows in a new batch that is linked to it', async () => {
    const path = `/batches/${failed.batchId}/retry`;
    expect(await run.partner.callApi('POST', path)).toMatchObject({
      status: 409,
      body: { error: { code: 'NOTHING_TO_RETRY' } },
    });
    const before = (await batchesOf(store)).length;
    const answer = await run.partner.callApi('POST', path, { rows: 'failed' });
    expect(answer).toMatchObject({ status: 202, body: { rows: 1 } });
    await run.partner.callApi('POST', path, { rows: 'failed' });
    const [retry] = await ended(store, before + 1);
    expect(retry).toMatchObject({ retryOf: failed.batchId, commandId: answer.body.commandId });
    const { body: old } = await run.partner.callApi('GET', `/batches/${failed.batchId}`);
    expect(old.retries).toEqual([answer.body.commandId]);
    await run.local.idle();
    expect(await batchesOf(store)).toHaveLength(before + 1);
  });

  test.each([
    ['/batches/no-such/rejects', 404, 'BATCH_UNKNOWN'],
    ['/batches/no-such', 404, 'BATCH_UNKNOWN'],
  ])('is not at GET %s, which answers %i', async (path, status, code) => {
    expect(await run.partner.callApi('GET', path)).toMatchObject({ status, body: { error: { code } } });
  });
});

describe('a final summary', () => {
  test.each(['duplicate', 'early', 'delay'] as const)(
    'that arrives with the fault %s ends its batch in the same way',
    async (webhook) => {
      const number = { duplicate: 101, early: 102, delay: 103 }[webhook];
      await controls.addFault({ path: '/partner/stores/catalog/*', fault: { webhook } });
      const known = (await batchesOf('store-1wh')).length;
      await putCatalog('store-1wh', webhook, lines(variantProduct(number)));
      const [batch] = await ended('store-1wh', known + 1);
      expect(batch).toMatchObject({ state: 'completed', rows: { sent: 1, accepted: 1 }, rejectedRows: [] });
    },
  );
});

describe('products and warehouses by route', () => {
  const product = simpleProduct(201);

  beforeAll(async () => {
    await putCatalog('store-2wh', 'reads', lines(product));
    await until('the product', async () => (await skusOf('store-2wh')).includes(product.sku));
  });

  test('are returned in the envelope of the marketplace', async () => {
    const list = await run.partner.callApi('GET', '/stores/store-2wh/products?isArchived=false&limit=10');
    expect(list).toMatchObject({
      status: 200,
      body: { success: true, data: [{}], pagination: { limit: 10 } },
    });
    const [{ id }] = list.body.data;
    const one = await run.partner.callApi('GET', `/stores/store-2wh/products/${id}`);
    expect(one).toMatchObject({ status: 200, body: { success: true, data: { sku: product.sku } } });
    const bySku = await run.partner.callApi('GET', `/stores/store-2wh/products/by-sku?sku=${product.sku}`);
    expect(bySku).toMatchObject({ status: 200, body: { data: { id, matchedVariantSku: false } } });
    const warehouses = await run.partner.callApi('GET', '/stores/store-2wh/warehouses');
    expect(warehouses.body.data.map(({ clientId }: { clientId: string }) => clientId)).toEqual([
      'wh-1',
      'wh-2',
    ]);
  });

  test('that do not exist are answered with the code of the marketplace', async () => {
    const answer = await run.partner.callApi('GET', '/stores/store-2wh/products/by-sku?sku=a%2Fb%3F');
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'PRD_014' } } });
  });
});
