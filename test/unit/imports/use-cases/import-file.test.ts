import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { csvCatalog, ndjsonCatalog, simpleProduct, variantProduct } from '../../../../local/run/catalog.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import type { ImportRecord } from '../../../../shared/imports/model.ts';
import type { FileEvent } from '../../../../shared/imports/ports.ts';
import { importFile } from '../../../../shared/imports/use-cases/import-file.ts';
import { MAX_REQUEST_BODY_BYTES } from '../../../../shared/products/model.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryImportReports } from '../../../doubles/in-memory-import-reports.ts';
import { inMemoryImportTable } from '../../../doubles/in-memory-import-table.ts';
import { inMemoryReadingPlaces } from '../../../doubles/in-memory-reading-places.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryStoreListings } from '../../../doubles/in-memory-store-listings.ts';
import { directly } from '../../../doubles/step.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import { store } from '../../products/update-setup.ts';
import { type SentSync, syncsOf } from './sent-syncs.ts';

const put = {
  bucket: 'imports',
  key: 'catalog/s-1/products.ndjson',
  etag: 'e-1',
  sequencer: '01',
  time: '2026-11-21T08:00:00Z',
  eventId: 'event-1',
};

/** Time enough for any file. */
const whole = {
  stopAt: Number.POSITIVE_INFINITY,
  endsAt: Number.POSITIVE_INFINITY,
  goOn: () => Promise.reject(new Error('there was time enough')),
};

function setUp(content: string | Buffer | undefined) {
  const messages: SentSync[] = [];
  const events: OutgoingEvent[] = [];
  const kept = new Map<string, Rejection>();
  const imports = new VersionedItems<ImportRecord>();
  const ports = {
    stores: { get: async (id: string) => (id === 's-1' ? store : undefined) },
    queue: {
      send: async (made: readonly FileEvent[]) => void messages.push(...syncsOf(made)),
    },
    rejections: inMemoryRejectionTable(directly, kept),
    events: inMemoryEventPublisher(directly, events),
    imports: inMemoryImportTable(directly, imports),
    clock: { now: () => Date.UTC(2026, 10, 21, 8, 1) },
    readingPlaces: inMemoryReadingPlaces(),
    importQueue: { send: () => Promise.reject(new Error('no work is left')) },
    reports: inMemoryImportReports(),
    storeListings: inMemoryStoreListings(directly, new VersionedItems()),
    files: {
      metadata: async (): Promise<Record<string, string>> => ({}),
      open: async () =>
        content === undefined ? undefined : Readable.from([Buffer.from(content)], { objectMode: false }),
    },
  };
  const seen = {
    messages,
    events,
    get rejections() {
      return [...kept.values()];
    },
    get imports() {
      return imports.all();
    },
  };
  /** A run that died before it noted that the file was read to its end. */
  const die = () => {
    for (const [importId] of imports.entries()) imports.delete(importId);
  };
  return { ports, seen, die, run: (file = {}) => importFile(ports, { ...put, ...file }, whole) };
}

test('a delivery that is late to its place, when another one has read the file, does not join the report again: it may have grown', async () => {
  const { ports, run, seen } = setUp(`${JSON.stringify(simpleProduct(1))}\nno JSON`);
  const places = inMemoryReadingPlaces();
  const reports = inMemoryImportReports();
  let joined = 0;
  let isFirst = true;
  Object.assign(ports, {
    readingPlaces: {
      update: async (...args: Parameters<typeof places.update>) => {
        if (isFirst) {
          isFirst = false;
          await run();
        }
        return places.update(...args);
      },
    },
    reports: {
      ...reports,
      join: (...args: Parameters<typeof reports.join>) => {
        joined += 1;
        return reports.join(...args);
      },
    },
  });
  expect(await run()).toBeUndefined();
  expect(seen.imports[0]?.reading).toMatchObject({ rows: 2, rejected: { ROW_NOT_JSON: 1 } });
  expect(joined).toBe(1);
});

describe('an imported catalog file', () => {
  test('is passed on in messages of 100 products, in order', async () => {
    const { run, seen } = setUp(ndjsonCatalog(250));
    expect(await run()).toMatchObject({ sent: 250, messages: 3, rejected: 0 });
    expect(seen.messages.map(({ products }) => products.length)).toEqual([100, 100, 50]);
    expect(seen.messages.flatMap(({ products }) => products)).toEqual(
      Array.from({ length: 250 }, (_, index) => simpleProduct(index + 1)),
    );
    expect(seen.messages[0]).toMatchObject({ storeClientId: 's-1', time: Date.parse(put.time) });
  });

  test('makes no message that is larger than a request may be', async () => {
    const lines = Array.from({ length: 60 }, (_, index) =>
      JSON.stringify({ ...simpleProduct(index), description: 'é'.repeat(5000) }),
    );
    const { run, seen } = setUp(lines.join('\n'));
    await run();
    expect(seen.messages.length).toBeGreaterThan(3);
    for (const { products } of seen.messages) {
      expect(Buffer.byteLength(JSON.stringify({ products }))).toBeLessThanOrEqual(MAX_REQUEST_BODY_BYTES);
    }
  });

  test('passes simple products and products with variants on in separate messages', async () => {
    const lines = [simpleProduct(1), variantProduct(2), simpleProduct(3)].map((product) =>
      JSON.stringify(product),
    );
    const { run, seen } = setUp(lines.join('\n'));
    await run();
    expect(seen.messages.map(({ products }) => products.length)).toEqual([2, 1]);
    expect(seen.messages[1]?.products).toEqual([variantProduct(2)]);
  });

  test('gives the same messages when it is read again, and others when it is put again', async () => {
    const first = setUp(ndjsonCatalog(250));
    await first.run();
    first.die();
    await first.run();
    const ids = first.seen.messages.map(({ commandId }) => commandId);
    expect(ids.slice(0, 3)).toEqual(ids.slice(3));
    expect(new Set(ids).size).toBe(3);
    await first.run({ sequencer: '02' });
    expect(ids).not.toContain(first.seen.messages[6]?.commandId);
  });

  test.each([
    ['catalog/s-1/a.json', JSON.stringify([simpleProduct(1)])],
    ['catalog/s-1/a.json.gz', gzipSync(JSON.stringify({ products: [simpleProduct(1)] }))],
    ['catalog/s-1/a.csv', csvCatalog(1)],
    ['catalog/s-1/deep/er/a b.csv.gz', gzipSync(csvCatalog(1))],
  ])('is read by its extension: %s', async (key, content) => {
    const { run, seen } = setUp(content);
    expect(await run({ key })).toMatchObject({ sent: 1, rejected: 0 });
    expect(seen.messages[0]?.products[0]).toMatchObject({ sku: simpleProduct(1).sku });
  });

  test('has a bad line rejected alone, with its place and its fault', async () => {
    const bad = JSON.stringify({ ...simpleProduct(2), price: 'free' });
    const { run, seen } = setUp(`${ndjsonCatalog(1)}${bad}\n{oops\n${ndjsonCatalog(1, 3)}`);
    expect(await run()).toMatchObject({ sent: 2, rejected: 2 });
    expect(seen.rejections).toEqual([
      expect.objectContaining({
        storeClientId: 's-1',
        code: 'ROW_INVALID',
        field: 'price',
        sku: simpleProduct(2).sku,
        externalId: simpleProduct(2).externalId,
        origin: 's3://imports/catalog/s-1/products.ndjson#2',
      }),
      expect.objectContaining({ code: 'ROW_NOT_JSON', origin: 's3://imports/catalog/s-1/products.ndjson#3' }),
    ]);
    expect(seen.events).toEqual([expect.objectContaining({ detailType: 'rows.rejected' })]);
  });

  test('has a bad CSV row rejected alone, with its line and its fault', async () => {
    const [header, first, second] = csvCatalog(2).split('\n');
    const { run, seen } = setUp(`${header}\r\n${first}\nA,"a" b\nA\n${second}\n"open\n`);
    expect(await run({ key: 'catalog/s-1/a.csv' })).toMatchObject({ sent: 2, rejected: 3 });
    expect(seen.rejections.map(({ code, origin }) => [code, origin])).toEqual([
      ['ROW_NOT_CSV', 's3://imports/catalog/s-1/a.csv#3'],
      ['ROW_CELLS', 's3://imports/catalog/s-1/a.csv#4'],
      ['ROW_NOT_CSV', 's3://imports/catalog/s-1/a.csv#6'],
    ]);
  });

  test('has each bad line reported once, however often it is read', async () => {
    const { run, seen, die } = setUp('oops\n'.repeat(250));
    expect(await run()).toMatchObject({ sent: 0, rejected: 250 });
    die();
    await run();
    expect(seen.rejections).toHaveLength(250);
    expect(new Set(seen.rejections.map(({ rejectionId }) => rejectionId)).size).toBe(250);
  });

  test.each([
    ['', {}, 'FILE_EMPTY'],
    ['\n\n', {}, 'FILE_EMPTY'],
    ['[]', { key: 'catalog/s-1/a.json' }, 'FILE_EMPTY'],
    ['sku,price\n', { key: 'catalog/s-1/a.csv' }, 'FILE_EMPTY'],
    ['not gzip', { key: 'catalog/s-1/a.ndjson.gz' }, 'FILE_NOT_GZIP'],
    ['{}', { key: 'catalog/s-1/a.xml' }, 'FILE_TYPE_UNKNOWN'],
    ['{}', { key: 'catalog/s-2/a.ndjson' }, 'STORE_UNKNOWN'],
    [Buffer.from('\uFEFFsku,price\nA,1\n', 'utf16le'), { key: 'catalog/s-1/a.csv' }, 'FILE_NOT_UTF8'],
    [Buffer.from('\uFEFF{"sku":"A"}\n{"sku":"B"}\n', 'utf16le').swap16(), {}, 'FILE_NOT_UTF8'],
    [gzipSync('sku,price\nA,1\n'), { key: 'catalog/s-1/a.csv' }, 'FILE_NOT_UTF8'],
    [undefined, {}, 'FILE_GONE'],
  ])('is one rejection when it is invalid: %j %j is %s', async (content, file, code) => {
    const { run, seen } = setUp(content);
    expect(await run(file)).toMatchObject({ sent: 0, rejected: 1, fault: code });
    const key = { ...put, ...file }.key;
    expect(seen.rejections).toEqual([expect.objectContaining({ code, origin: `s3://imports/${key}` })]);
    expect(seen.messages).toEqual([]);
  });

  test('is kept with the columns that are allowed when its header has another one', async () => {
    const { run, seen } = setUp('sku,cost\nA,1\n');
    await run({ key: 'catalog/s-1/a.csv' });
    const fault = {
      code: 'FILE_COLUMNS_UNKNOWN',
      details: { columns: expect.arrayContaining(['sku', 'price']) },
    };
    expect(seen.imports).toMatchObject([{ reading: { fault } }]);
  });

  test('is rejected for an unknown store when its key names none', async () => {
    const { run, seen } = setUp('{}');
    await run({ key: 'catalog/a.ndjson' });
    expect(seen.rejections).toEqual([
      expect.objectContaining({ storeClientId: '-', code: 'FILE_KEY_INVALID' }),
    ]);
  });

  test.each(['catalog/', 'catalog/s-1/', 'stock/s-1/full/'])('the folder %s is no file', async (key) => {
    const { run, seen } = setUp('');
    expect(await run({ key })).toBeUndefined();
    expect(seen.rejections).toEqual([]);
    expect(seen.imports).toEqual([]);
  });

  test('is processed up to a fault', async () => {
    const { run } = setUp(gzipSync(ndjsonCatalog(5000)).subarray(0, -10));
    const result = await run({ key: 'catalog/s-1/a.ndjson.gz' });
    expect(result).toMatchObject({ fault: 'FILE_TRUNCATED' });
    expect(result?.sent).toBeGreaterThan(0);
  });

  test('a put that was read to its end is not read again, and the file may be gone by then', async () => {
    const { ports, run, seen } = setUp(ndjsonCatalog(150));
    await run();
    const before = seen.imports;
    const files = { ...ports.files, open: async () => undefined };
    expect(await importFile({ ...ports, files }, put, whole)).toBeUndefined();
    expect(seen.messages).toHaveLength(2);
    expect(seen.rejections).toEqual([]);
    expect(seen.imports).toEqual(before);
  });

  test('what was read of a file is kept: rows, those sent on and those rejected by code', async () => {
    const bad = JSON.stringify({ ...simpleProduct(2), price: 'free' });
    const { run, seen } = setUp(`${ndjsonCatalog(120)}${bad}\n{oops\n{oops\n`);
    await run();
    expect(seen.imports).toEqual([
      {
        importId: seen.messages[0]?.commandId.split('/')[0],
        storeClientId: 's-1',
        bucket: put.bucket,
        key: put.key,
        putAt: put.time,
        announced: { eventId: put.eventId, etag: put.etag, sequencer: put.sequencer },
        startedAt: '2026-11-21T08:01:00.000Z',
        reading: {
          endedAt: '2026-11-21T08:01:00.000Z',
          rows: 123,
          sent: 120,
          rejected: { ROW_INVALID: 1, ROW_NOT_JSON: 2 },
          commands: 2,
          report: `reports/${put.key}/${seen.imports[0]?.importId}.ndjson`,
          reportSize: { parts: 1, bytes: expect.any(Number) },
        },
      },
    ]);
  });

  test('with large rows whose cells are invalid has a report of about 10 MB, and never much of it in memory', async () => {
    const rows = Array.from({ length: 300 }, () => `${'x'.repeat(100_000)},free\n`);
    const { ports, run, seen } = setUp(`name,price\n${rows.join('')}`);
    const parts: number[] = [];
    const { putPart } = ports.reports;
    ports.reports.putPart = async (file, number, text) => {
      parts.push(text.length);
      await putPart(file, number, text);
    };
    expect(await run({ key: 'catalog/s-1/a.csv' })).toMatchObject({ sent: 0, rejected: 300 });
    expect(Math.max(...parts)).toBeLessThan(1_500_000);
    expect(seen.imports[0]?.reading?.reportSize?.bytes).toBeLessThan(12_000_000);
  });

  test.each(['others/s-1/a.csv', 'products.ndjson', 'catalog/products.ndjson', 'dry-run/products.ndjson'])(
    'a file at %s is kept as rejected, with the place and the types that are allowed',
    async (key) => {
      const { run, seen } = setUp('{}');
      await run({ key });
      const message =
        'the key must be {kind}/{storeClientId}/… and end in .ndjson, .json or .csv, with or without .gz; kind is catalog, stock, prices, or one of them after dry-run/';
      const fault = { code: 'FILE_KEY_INVALID', message };
      expect(seen.rejections).toEqual([expect.objectContaining({ storeClientId: '-', ...fault })]);
      expect(seen.imports).toMatchObject([
        { storeClientId: '-', key, reading: { rows: 0, sent: 0, rejected: {}, commands: 0, fault } },
      ]);
    },
  );

  test('is imported again after a failure of the bucket', async () => {
    const { ports, seen } = setUp(undefined);
    const failure = new Error('503 from S3');
    const files = { ...ports.files, open: () => Promise.reject(failure) };
    await expect(importFile({ ...ports, files }, put, whole)).rejects.toBe(failure);
    expect(seen.rejections).toEqual([]);
  });
});
