import { gzipSync } from 'node:zlib';
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  csvCatalog,
  externalIdOf,
  ndjsonCatalog,
  simpleProduct,
  skuOf,
  variantProduct,
} from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { createEventTap, type EventTap } from '../../local/run/event-tap.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';

let run: ConnectorRun;
let tap: EventTap;

beforeAll(async () => {
  run = await startQuickRun();
  tap = await createEventTap(run.local);
});

afterAll(async () => {
  await tap?.close();
  await run?.[Symbol.asyncDispose]();
});

const batchesOf = async (storeClientId: string) =>
  (await run.partner.callApi('GET', `/batches?storeClientId=${storeClientId}`)).body.batches;
const skusOf = async (storeClientId: string) =>
  (await run.controls?.products(storeClientId))?.products.map(({ sku }) => sku) ?? [];
const rejectionsOf = async (storeClientId: string) =>
  (await run.partner.callApi('GET', `/stores/${storeClientId}/rejections?limit=500`)).body.rejections;

/** Sends the importer S3's event about an object that does not exist any more. */
async function announceMissing(key: string): Promise<void> {
  const { endpoint, region, adminCredentials: credentials, outputs } = run.local;
  const queues = new SQSClient({ endpoint, region, credentials });
  const { QueueUrls = [] } = await queues.send(new ListQueuesCommand({}));
  const QueueUrl = QueueUrls.find((url) => /CatalogImport/.test(url) && !/DeadLetter/.test(url));
  const event = {
    id: 'deleted-1',
    time: '2026-11-21T08:00:00Z',
    'detail-type': 'Object Created',
    detail: { bucket: { name: outputs.ImportBucketName }, object: { key, etag: 'e', sequencer: '1' } },
  };
  await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(event) }));
  queues.destroy();
}

describe('a catalog file in the import bucket', () => {
  test('is sent in chunks and completed by the final summaries', async () => {
    await run.partner.putImportFile('catalog/store-0wh/first.ndjson', ndjsonCatalog(250));
    const batches = await until('three completed batches', async () => {
      const found = await batchesOf('store-0wh');
      return (
        found.length === 3 && found.every(({ state }: { state: string }) => state === 'completed') && found
      );
    });
    expect(batches.map(({ summary }: { summary: object }) => summary)).toEqual(
      expect.arrayContaining([
        { total: 100, failed: 0, pending: 0 },
        { total: 100, failed: 0, pending: 0 },
        { total: 50, failed: 0, pending: 0 },
      ]),
    );
    expect(await skusOf('store-0wh')).toHaveLength(250);
    const record = await run.partner.getItem('BatchesTableName', { batchId: batches[0].batchId });
    expect(record).toMatchObject({ state: 'completed', kind: 'catalog-sync', storeClientId: 'store-0wh' });
    await until('batch.completed for each', async () => {
      const events = await tap.events();
      const completed = events.filter((event) => event['detail-type'] === 'batch.completed');
      return batches.every(({ batchId }: { batchId: string }) =>
        completed.some(({ detail }) => detail.batchId === batchId),
      );
    });
  });

  test.each([
    ['.json', 'an array', JSON.stringify([simpleProduct(301), simpleProduct(302)])],
    [
      '.json',
      'an object with products',
      JSON.stringify({ products: [simpleProduct(303), simpleProduct(304)] }),
    ],
    ['.csv', 'rows', csvCatalog(2, 305)],
    ['.ndjson.gz', 'compressed lines', gzipSync(ndjsonCatalog(2, 307))],
  ])('may have the extension %s and contain %s', async (extension, _, body) => {
    const before = await skusOf('store-1wh');
    await run.partner.putImportFile(`catalog/store-1wh/shape-${before.length}${extension}`, body);
    await until('two products more', async () => (await skusOf('store-1wh')).length === before.length + 2);
  });

  test('sends simple products and products with variants to their own endpoints', async () => {
    const body = `${JSON.stringify(simpleProduct(401))}\n${JSON.stringify(variantProduct(402))}\n`;
    await run.partner.putImportFile('catalog/store-2wh/mixed.ndjson', body);
    await until('two completed batches', async () => {
      const found = await batchesOf('store-2wh');
      return found.length === 2 && found.every(({ state }: { state: string }) => state === 'completed');
    });
    const kinds = (await batchesOf('store-2wh')).map(({ kind }: { kind: string }) => kind).sort();
    expect(kinds).toEqual(['catalog-sync', 'catalog-variants-sync']);
  });

  test('loses only its invalid lines, each reported with line, field and reason', async () => {
    const withoutName: Partial<ReturnType<typeof simpleProduct>> = simpleProduct(502);
    const lines = [
      JSON.stringify(simpleProduct(501)),
      '{"sku": broken',
      JSON.stringify({ ...withoutName, stock: 1, warehouses: [{ clientId: 'wh-1', stock: 1 }] }),
      JSON.stringify(simpleProduct(503)),
    ];
    await run.partner.putImportFile('catalog/store-1wh/broken.ndjson', `${lines.join('\n')}\n`);
    await until('the good lines', async () => {
      const skus = await skusOf('store-1wh');
      return skus.includes(skuOf(501)) && skus.includes(skuOf(503));
    });
    const rejections = await until('two rejections', async () => {
      const found = (await rejectionsOf('store-1wh')).filter(({ origin = '' }: { origin?: string }) =>
        origin.includes('broken.ndjson'),
      );
      return found.length === 2 && found;
    });
    const origins = rejections.map(({ origin }: { origin: string }) => origin.slice(origin.indexOf('#')));
    expect(origins.sort()).toEqual(['#2', '#3']);
    for (const rejection of rejections)
      expect(rejection).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    expect(await skusOf('store-1wh')).not.toContain(skuOf(502));
  });

  test('records the rows that the marketplace refuses', async () => {
    await run.partner.putImportFile('catalog/store-2wh/first.ndjson', ndjsonCatalog(1, 701));
    await until('the first product', async () => (await skusOf('store-2wh')).includes(skuOf(701)));
    await run.partner.putImportFile('catalog/store-2wh/existing.ndjson', ndjsonCatalog(2, 701));
    const batch = await until('a batch with errors', async () => {
      const found = await batchesOf('store-2wh');
      return found.find(({ state }: { state: string }) => state === 'completed_with_errors');
    });
    expect(batch).toMatchObject({
      rows: { sent: 2, accepted: 1, rejected: 1, unknown: 0 },
      rejectedRows: [{ rowIndex: 0, code: 'PRD_002' }],
    });
    await until('rows.rejected', async () => {
      const events = await tap.events();
      return events.some(
        ({ 'detail-type': type, detail }) => type === 'rows.rejected' && detail.batchId === batch.batchId,
      );
    });
  });
});

describe('GET /imports', () => {
  const importOf = (storeClientId: string, key: string) =>
    until(`the import of ${key}`, async () => {
      const { body } = await run.partner.callApi('GET', `/imports?storeClientId=${storeClientId}&limit=50`);
      return body.imports.find(
        (file: { key: string; state: string }) => file.key === key && file.state !== 'reading',
      );
    });

  test('shows a file with its rows: accepted, rejected by code as it was read and by the marketplace, and its batches', async () => {
    const key = 'catalog/store-1wh/mixed-fate.ndjson';
    const [first] = ndjsonCatalog(1, 1001).split('\n');
    await run.partner.putImportFile('catalog/store-1wh/before.ndjson', `${first}\n`);
    await until('the first product', async () => (await skusOf('store-1wh')).includes(skuOf(1001)));
    const invalid = JSON.stringify({ ...simpleProduct(1004), weight: 'heavy' });
    await run.partner.putImportFile(key, `${ndjsonCatalog(3, 1001)}{"sku": broken\n${invalid}\n`);
    const { importId } = await importOf('store-1wh', key);
    const ended = await until('the end of the import', async () => {
      const { body } = await run.partner.callApi('GET', `/imports/${importId}`);
      return body.state !== 'open' && body;
    });
    expect(ended).toMatchObject({
      state: 'completed_with_errors',
      storeClientId: 'store-1wh',
      rows: {
        read: 5,
        sent: 3,
        accepted: 2,
        open: 0,
        rejected: { ROW_NOT_JSON: 1, ROW_INVALID: 1, PRD_002: 1 },
      },
      batches: [
        { kind: 'catalog-sync', state: 'completed_with_errors', rows: { sent: 3, accepted: 2, rejected: 1 } },
      ],
    });
    const { status, body } = await run.partner.callApi('GET', `/batches/${ended.batches[0].batchId}`);
    expect({ status, commandId: body.commandId }).toEqual({ status: 200, commandId: `${importId}/0` });
  });

  test.each([
    ['others/store-1wh/list.csv', '-', 'FILE_KEY_INVALID', '.ndjson, .json or .csv, with or without .gz'],
    [
      'catalog/store-1wh/list.xml',
      'store-1wh',
      'FILE_TYPE_UNKNOWN',
      '.ndjson, .json or .csv, with or without .gz',
    ],
    ['catalog/store-1wh/list.xlsx', 'store-1wh', 'FILE_TYPE_UNKNOWN', 'save its sheet as "CSV UTF-8'],
  ])('shows %s as rejected, and says what is allowed', async (key, storeClientId, code, allowed) => {
    await run.partner.putImportFile(key, 'anything');
    const { fault, state, rows } = await importOf(storeClientId, key);
    expect({ code: fault.code, state, read: rows.read }).toEqual({ code, state: 'failed', read: 0 });
    expect(fault.message).toContain(allowed);
    const [rejection] = (await rejectionsOf(storeClientId)).filter(({ origin = '' }: { origin?: string }) =>
      origin.endsWith(key),
    );
    expect(rejection).toMatchObject({ code, message: fault.message });
  });

  test('shows a file as gone that was deleted before it was read', async () => {
    const key = 'catalog/store-1wh/deleted.csv';
    await announceMissing(key);
    const { fault, state } = await importOf('store-1wh', key);
    expect({ code: fault.code, state }).toEqual({ code: 'FILE_GONE', state: 'failed' });
  });

  test('lists the files of all stores if no store is given, also those whose key names none or an unknown one', async () => {
    const keys = ['catalog/store-0wh/all.xlsx', 'catalog/no-such-store/all.xlsx', 'all.xlsx'];
    for (const key of keys) await run.partner.putImportFile(key, 'anything');
    await until('the files in one list', async () => {
      const { body } = await run.partner.callApi('GET', '/imports?limit=50');
      const listed: string[] = body.imports.map((file: { key: string }) => file.key);
      return keys.every((key) => listed.includes(key));
    });
    const first = await run.partner.callApi('GET', '/imports?limit=1');
    const next = await run.partner.callApi('GET', `/imports?limit=1&cursor=${first.body.cursor}`);
    const both = await run.partner.callApi('GET', '/imports?limit=2');
    expect([...first.body.imports, ...next.body.imports]).toEqual(both.body.imports);
  });

  test('refuses an unknown import', async () => {
    expect(await run.partner.callApi('GET', '/imports/none')).toMatchObject({
      status: 404,
      body: { error: { code: 'IMPORT_UNKNOWN' } },
    });
  });
});

test('a command by route that is too large for a message is done like any other', async () => {
  const before = await skusOf('store-1wh');
  const products = Array.from({ length: 75 }, (_, index) => ({
    ...simpleProduct(901 + index),
    description: 'long '.repeat(5000),
  }));
  expect(JSON.stringify(products).length).toBeGreaterThan(1_800_000);
  const path = '/stores/store-1wh/products/bulk';
  const { status, body } = await run.partner.callApi('POST', path, { products });
  expect({ status, body }).toMatchObject({ status: 202, body: { products: 75 } });
  const batches = await until('batches of all rows', async () => {
    const found = (await batchesOf('store-1wh')).filter(
      ({ commandId }: { commandId?: string }) => commandId === body.commandId,
    );
    const sent = found.reduce((sum: number, { rows }: { rows: { sent: number } }) => sum + rows.sent, 0);
    return sent === 75 && found;
  });
  expect(batches.length).toBeGreaterThan(8);
  expect(await skusOf('store-1wh')).toEqual(
    expect.arrayContaining([...before, ...products.map(({ sku }) => sku)]),
  );
});

describe('stock and price of new and updated products', () => {
  const storeClientId = 'store-0wh';
  const productWith = async (externalId: string) =>
    (await run.controls?.products(storeClientId))?.products.find(
      (product) => product.externalId === externalId,
    );

  test('stock that arrived before its product is set once a file has created the product', async () => {
    await run.partner.putEvents([
      { detailType: 'stock.changed', detail: { storeClientId, items: [{ sku: skuOf(801), stock: 4321 }] } },
    ]);
    await until('the rejection of a stock without a product', async () =>
      (await batchesOf(storeClientId)).some(
        ({ kind, rejectedRows }: { kind: string; rejectedRows: { code: string }[] }) =>
          kind === 'stock' && rejectedRows.some(({ code }) => code === 'INV_001'),
      ),
    );
    await run.partner.putImportFile(`catalog/${storeClientId}/late.ndjson`, ndjsonCatalog(1, 801));
    await until('the stock of the new product', async () => {
      return (await productWith(externalIdOf(801)))?.stock === 4321;
    });
  });

  test('an update that renames a product with variants sets the price of a variant by its SKU', async () => {
    const variants = variantProduct(802);
    await run.partner.putImportFile(`catalog/${storeClientId}/variants.ndjson`, JSON.stringify(variants));
    const { id: productId } = await until('the product', () => productWith(externalIdOf(802)));
    const [first, ...others] = variants.variants.items;
    const items = [{ ...first, price: 77_777 }, ...others];
    await run.partner.putEvents([
      {
        detailType: 'product.update.requested',
        detail: {
          storeClientId,
          productId,
          changes: { name: 'Renamed', variants: { ...variants.variants, items } },
        },
      },
    ]);
    await until('the new name and the new price', async () => {
      const product = await productWith(externalIdOf(802));
      const variant = product?.variants?.items.find(({ sku }) => sku === first?.sku);
      return product?.name === 'Renamed' && variant?.price === 77_777;
    });
  });
});
