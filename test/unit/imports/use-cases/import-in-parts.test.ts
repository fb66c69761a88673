import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { csvCatalog, simpleProduct, variantProduct } from '../../../../local/run/catalog.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import type { ImportRecord, ReadingPlaces } from '../../../../shared/imports/model.ts';
import type { FileEvent } from '../../../../shared/imports/ports.ts';
import { importFile } from '../../../../shared/imports/use-cases/import-file.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import type { Notation } from '../../../../shared/stores/notation.ts';
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

const put = { bucket: 'imports', etag: 'e-1', time: '2026-11-21T08:00:00Z', eventId: 'event-1' };
const ROWS_PER_SECTION = 4;

/** Results of a file: the messages by command, the rejected rows, and the import's record. */
function setUp(key: string, content: string | Buffer) {
  const bytes = Buffer.from(content);
  const sent: SentSync[] = [];
  const events: OutgoingEvent[] = [];
  const kept = new Map<string, Rejection>();
  const imports = new VersionedItems<ImportRecord>();
  const places = new VersionedItems<ReadingPlaces>();
  const opened: number[] = [];
  let diesAt: string | undefined;
  let meanwhile: (() => Promise<void>) | undefined;
  let parts = 0;
  let numbers: Notation | undefined;
  /** Throws in place of the step, or behind it, where the process is to die there. */
  const mayDie = async (step: string, act: () => void | Promise<void>) => {
    if (diesAt === `before ${step}`) throw new Error(diesAt);
    await act();
    if (diesAt === `after ${step}`) throw new Error(diesAt);
  };
  const importTable = inMemoryImportTable(directly, imports);
  const rejections = inMemoryRejectionTable(directly, kept);
  const ports = {
    stores: { get: async () => ({ ...store, numbers }) },
    queue: {
      send: (made: readonly FileEvent[]) => mayDie('send', () => void sent.push(...syncsOf(made))),
    },
    rejections: { putAll: (rows: readonly Rejection[]) => mayDie('reject', () => rejections.putAll(rows)) },
    events: inMemoryEventPublisher(directly, events),
    imports: {
      get: importTable.get,
      update: async (...args: Parameters<typeof importTable.update>) => {
        let record: ImportRecord | undefined;
        const isBegun = imports.read(args[0]) !== undefined;
        const update = async () => {
          record = await importTable.update(...args);
        };
        await (isBegun ? mayDie('record', update) : update());
        return record;
      },
    },
    clock: { now: () => Date.UTC(2026, 10, 21, 8, 1) },
    readingPlaces: inMemoryReadingPlaces(directly, places),
    importQueue: { send: () => Promise.reject(new Error('no work is left')) },
    reports: inMemoryImportReports(),
    storeListings: inMemoryStoreListings(directly, new VersionedItems()),
    files: {
      metadata: async () => ({}),
      open: async (_: object, firstByte: number) => {
        opened.push(firstByte);
        const act = meanwhile;
        meanwhile = undefined;
        await act?.();
        return Readable.from([bytes.subarray(firstByte)], { objectMode: false });
      },
    },
  };
  const run = (stopAt: number, endsAt = Number.POSITIVE_INFINITY) => {
    const goOn = () => mayDie('go on', () => {});
    return importFile(
      ports,
      { ...put, key },
      {
        stopAt,
        endsAt,
        goOn,
        rowsPerSection: ROWS_PER_SECTION,
      },
    );
  };
  /** One invocation that has time for one section. */
  const runPart = () => {
    parts += 1;
    return run(0);
  };
  return {
    opened,
    sent,
    runPart,
    /** One invocation that has time for the file. */
    runWhole: () => run(Number.POSITIVE_INFINITY),
    /** One invocation whose time is over before a section ends. */
    runOutOfTime: () => run(0, 1),
    /** What happens once, while the next invocation opens the file. */
    atOpen: (act: () => Promise<void>) => {
      meanwhile = act;
    },
    /** The store says a notation of its files. */
    renotate: (notation: Notation) => {
      numbers = notation;
    },
    endPlace: () => places.delete(store.storeClientId),
    dieAt: (step: string | undefined) => {
      diesAt = step;
    },
    /** Runs parts until the file is read. */
    runAll: async () => {
      while (parts < 100) {
        const part = await runPart();
        if (part === undefined || part.isRead) return;
      }
      throw new Error('the file is not read after 100 parts');
    },
    outcome: () => ({
      messages: Object.fromEntries(sent.map(({ commandId, products }) => [commandId, products])),
      rejections: [...kept.values()],
      record: withoutWarnings(imports.all()[0]),
    }),
  };
}

/** A name that is repeated in another part is not noticed. */
function withoutWarnings(record: ImportRecord | undefined): ImportRecord | undefined {
  if (record?.reading === undefined) return record;
  const { warnings: _, ...reading } = record.reading;
  return { ...record, reading };
}

const ndjson = (...rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const simple = (count: number) => Array.from({ length: count }, (_, index) => simpleProduct(index + 1));
const [header = '', ...csvRows] = csvCatalog(11).trimEnd().split('\n');
/** A cell with a comma, a doubled quote and line breaks, in each row. */
const quotedCsv = [header, ...csvRows.map((row) => row.replace('A product', 'é, ""A""\r\nproduct\n'))];

const FILES: [string, string, string | Buffer][] = [
  ['lines', 'a.ndjson', ndjson(...simple(11))],
  [
    'lines of UTF-8 behind a byte order mark',
    'a.ndjson',
    `\uFEFF${ndjson(...simple(9).map((row) => ({ ...row, name: 'é日本' })))}`,
  ],
  ['a number of lines that fills the last section', 'a.ndjson', ndjson(...simple(8))],
  [
    'lines of both shapes',
    'a.ndjson',
    ndjson(...simple(7), variantProduct(90), variantProduct(91), ...simple(3)),
  ],
  [
    'bad lines among good ones',
    'a.ndjson',
    `{oops\n\n${ndjson(...simple(5))}"text"\n\n{oops\n${ndjson(...simple(4))}[1]`,
  ],
  [
    'lines that are too long',
    'a.ndjson',
    `${ndjson(...simple(3))}${'x'.repeat(450_000)}\n${ndjson(...simple(6))}${'x'.repeat(200_100)}`,
  ],
  ['CSV with line breaks and commas in quoted cells', 'a.csv', `${quotedCsv.join('\r\n')}\r\n`],
  [
    'CSV with bad rows',
    'a.csv',
    [header, ...csvRows.slice(0, 3), 'A,"a" b', '', 'B', ...csvRows.slice(3), '"open'].join('\n'),
  ],
  [
    'an array',
    'a.json',
    `[${simple(11)
      .map((row) => JSON.stringify(row, null, 2))
      .join(',\n')}]\n`,
  ],
  ['an array whose last element fills a section', 'a.json', `${JSON.stringify(simple(8))}\n \n`],
  [
    'an array with too long and broken elements',
    'a.json',
    `[${JSON.stringify(simpleProduct(1))},"${'x'.repeat(300_000)}",{"a":},${simple(6)
      .map((row) => JSON.stringify(row))
      .join()}]`,
  ],
  ['an object with products', 'a.json', JSON.stringify({ note: 'n', products: simple(9), more: [1] })],
  ['compressed lines', 'a.ndjson.gz', gzipSync(ndjson(...simple(11)))],
  ['compressed CSV', 'a.csv.gz', gzipSync(quotedCsv.join('\n'))],
  ['an array that does not end', 'a.json', JSON.stringify(simple(9)).slice(0, -1)],
  ['compressed lines that do not end', 'a.ndjson.gz', gzipSync(ndjson(...simple(11))).subarray(0, -9)],
];

const steps = ['send', 'reject', 'record', 'go on'].flatMap((step) => [`before ${step}`, `after ${step}`]);

describe.each(FILES)('a file of %s', (_, name, content) => {
  const key = `catalog/s-1/${name}`;

  test('that is read in parts of a section each gives what one reading gives', async () => {
    const whole = setUp(key, content);
    await whole.runWhole();
    const inParts = setUp(key, content);
    await inParts.runAll();
    expect(inParts.outcome()).toEqual(whole.outcome());
    expect(inParts.sent).toHaveLength(Object.keys(inParts.outcome().messages).length);
    expect(inParts.outcome().record).not.toHaveProperty('progress');
  });

  test('gives the same after a death at any step of any part', async () => {
    const undisturbed = setUp(key, content);
    await undisturbed.runAll();
    for (const step of steps) {
      const disturbed = setUp(key, content);
      for (let part = 0; part < 6; part += 1) {
        disturbed.dieAt(step);
        await disturbed.runPart().catch((error: Error) => expect(error.message).toBe(step));
        disturbed.dieAt(undefined);
        await disturbed.runPart();
      }
      await disturbed.runAll();
      expect(disturbed.outcome(), step).toEqual(undisturbed.outcome());
    }
  });
});

test('a file is inspected first; a part of a plain file begins at the byte behind the last section, one of a compressed file at its start', async () => {
  const lines = simple(9).map((row) => `${JSON.stringify(row)}\n`);
  const ends = [4, 8].map((rows) => Buffer.byteLength(lines.slice(0, rows).join('')));
  const plain = setUp('catalog/s-1/a.ndjson', lines.join(''));
  await plain.runAll();
  expect(plain.opened).toEqual([0, 0, ...ends]);
  const compressed = setUp('catalog/s-1/a.ndjson.gz', gzipSync(lines.join('')));
  await compressed.runAll();
  expect(compressed.opened).toEqual([0, 0, 0, 0]);
});

test('a file that is read in parts is read by the notation of its store at its begin, whatever it is meanwhile', async () => {
  const content = csvCatalog(9).replaceAll(/,(\d+),(?=\d+,2\d\d,)/g, ',"$1,5",');
  const { runPart, renotate, runAll, outcome } = setUp('catalog/s-1/a.csv', content);
  renotate({ decimal: ',' });
  await runPart();
  renotate({ decimal: '.' });
  await runAll();
  const prices = Object.values(outcome().messages).flatMap((products) =>
    (products as { price: number }[]).map(({ price }) => price),
  );
  expect(prices).toEqual(Array.from({ length: 9 }, (_, index) => 10_010.5 + 10 * index));
  expect(outcome().rejections).toEqual([]);
});

test.each([
  ['a.ndjson', ''],
  ['a.csv', 'sku,name\n'],
  ['a.json', '['],
])('a file %s of 20 million blank lines is read in parts by its bytes', async (name, start) => {
  const content = gzipSync(`${start}${'\n'.repeat(20_000_000)}`);
  const { runPart, outcome } = setUp(`catalog/s-1/${name}.gz`, content);
  const offsets = [];
  for (let part = await runPart(); part?.isRead === false; part = await runPart())
    offsets.push(outcome().record?.progress?.position.offset);
  expect(offsets).toHaveLength(2);
  expect(offsets[0]).toBeGreaterThanOrEqual(8_000_000);
  expect(offsets[1]).toBeGreaterThanOrEqual(16_000_000);
  expect(outcome().record?.reading?.fault?.code).toBe(name === 'a.json' ? 'FILE_TRUNCATED' : 'FILE_EMPTY');
});

test('rows behind millions of blank lines keep the numbers of their lines', async () => {
  const blank = '\r\n'.repeat(5_000_000);
  const { runAll, outcome } = setUp('catalog/s-1/a.ndjson', `${ndjson(...simple(1))}${blank}oops\n`);
  await runAll();
  expect(outcome().rejections).toMatchObject([{ origin: 's3://imports/catalog/s-1/a.ndjson#5000002' }]);
  expect(outcome().record?.reading).toMatchObject({ sent: 1, rows: 2 });
});

test('a file whose section two invocations do not read to its end has a fault that says so', async () => {
  const content = JSON.stringify({ note: 'x'.repeat(3_000_000), products: simple(1) });
  const { runOutOfTime, outcome } = setUp('catalog/s-1/a.json', content);
  expect(await runOutOfTime()).toMatchObject({ isRead: false });
  expect(outcome().record).toMatchObject({ spentTries: 1 });
  expect(await runOutOfTime()).toMatchObject({ isRead: true, fault: 'FILE_STUCK' });
  expect(outcome().rejections).toMatchObject([{ code: 'FILE_STUCK' }]);
  expect(outcome().record).not.toHaveProperty('spentTries');
});

test('a compressed file that two invocations do not unpack to its end has a fault that says so', async () => {
  // The fault at its end is not found: it is not read so far.
  const content = gzipSync(Buffer.concat([Buffer.alloc(2_000_000, '\n'), Buffer.from([0xff])]));
  const { runOutOfTime, outcome } = setUp('catalog/s-1/a.ndjson.gz', content);
  expect(await runOutOfTime()).toMatchObject({ isRead: false });
  expect(await runOutOfTime()).toMatchObject({ isRead: true, fault: 'FILE_STUCK' });
  expect(outcome().rejections).toMatchObject([{ code: 'FILE_STUCK' }]);
});

test('a file that begins with a hundred sections of no row is given up, and one with a row among them is not', async () => {
  const none = 'x\n'.repeat(100 * ROWS_PER_SECTION);
  const { runAll, outcome } = setUp('catalog/s-1/a.ndjson', `${none}${ndjson(...simple(1))}`);
  await runAll();
  expect(outcome().record?.reading).toMatchObject({
    sent: 0,
    rows: 100 * ROWS_PER_SECTION,
    fault: { code: 'FILE_ROWS_UNREADABLE', number: 100 * ROWS_PER_SECTION + 1 },
  });
  const mixed = setUp('catalog/s-1/a.ndjson', `${ndjson(...simple(1))}${none}`);
  expect(await mixed.runWhole()).toMatchObject({ sent: 1, rejected: 100 * ROWS_PER_SECTION });
});

test.each(['before record', 'after record', 'before reject', 'after reject'])(
  'a fault of the file is reported only if the record has it: the delivery that saw it dies %s, and the next one reads the file',
  async (step) => {
    const content = JSON.stringify({ note: 'x'.repeat(3_000_000), products: simple(1) });
    const { runOutOfTime, runWhole, dieAt, outcome } = setUp('catalog/s-1/a.json', content);
    await runOutOfTime();
    dieAt(step);
    await expect(runOutOfTime()).rejects.toThrow(step);
    dieAt(undefined);
    await runWhole();
    const { record, rejections } = outcome();
    const { fault } = record?.reading ?? expect.unreachable('the file was not read');
    expect(rejections.map(({ code }) => code)).toEqual(fault === undefined ? [] : ['FILE_STUCK']);
  },
);

test('a delivery that takes longer than its place lasts, and that another one overtakes, fails: its message comes back if the other dies', async () => {
  const { runPart, runWhole, outcome, atOpen, endPlace } = setUp(
    'catalog/s-1/a.ndjson',
    ndjson(...simple(11)),
  );
  atOpen(async () => {
    endPlace();
    await runPart();
    await runPart();
  });
  await expect(runWhole()).rejects.toMatchObject({ code: 'IMPORT_OVERTAKEN', retryable: true });
  await runWhole();
  expect(outcome().record?.reading).toMatchObject({ rows: 11, sent: 11, commands: 3 });
});
