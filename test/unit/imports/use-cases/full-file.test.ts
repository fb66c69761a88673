import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { externalIdOf } from '../../../../local/run/catalog.ts';
import { importIdOf } from '../../../../shared/imports/file/announced-file.ts';
import type { ImportRecord } from '../../../../shared/imports/model.ts';
import type { FileEvent } from '../../../../shared/imports/ports.ts';
import { continueFull } from '../../../../shared/imports/use-cases/full-file.ts';
import { importFile } from '../../../../shared/imports/use-cases/import-file.ts';
import { releaseImport } from '../../../../shared/imports/use-cases/operate-import.ts';
import type { Listing, SettledRegister } from '../../../../shared/listings/model.ts';
import { targetOf } from '../../../../shared/listings/rules/target.ts';
import { createdListing } from '../../../../shared/listings/use-cases/rearm.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryFileReceiptTable } from '../../../doubles/in-memory-file-receipt-table.ts';
import { inMemoryImportReports } from '../../../doubles/in-memory-import-reports.ts';
import { inMemoryImportTable } from '../../../doubles/in-memory-import-table.ts';
import { inMemoryReadingPlaces } from '../../../doubles/in-memory-reading-places.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryStoreListings } from '../../../doubles/in-memory-store-listings.ts';
import { directly } from '../../../doubles/step.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import { store as connected } from '../../products/update-setup.ts';

const PUT_AT = Date.UTC(2026, 10, 21, 8);
const file = {
  bucket: 'imports',
  key: 'stock/s-1/full/all.csv',
  etag: 'e-1',
  time: new Date(PUT_AT).toISOString(),
  eventId: 'event-1',
};
const importId = importIdOf(file);

/** A store with listings of stock, and a file under `full/`. */
function setUp(skus: readonly string[], csv: string) {
  const listings = new VersionedItems<Listing>();
  const sent: FileEvent[] = [];
  let store: Store = connected;
  const list = (
    target: string,
    version: number,
    answer: Pick<SettledRegister, 'outcome' | 'code'> = { outcome: 'accepted' },
    versionKind: Listing['versionKind'] = 'time',
  ) =>
    listings.replace(
      target,
      {
        storeClientId: 's-1',
        target,
        versionKind,
        desired: { stock: { value: 5, version } },
        sent: {},
        settled:
          version < PUT_AT
            ? { stock: { value: 5, version, at: file.time, ...answer } }
            : (listings.read(target)?.value.settled ?? {}),
        failures: 0,
      },
      listings.read(target)?.revision,
      {},
    );
  for (const sku of skus) list(targetOf({ sku }), PUT_AT - 60_000);
  const imports = new VersionedItems<ImportRecord>();
  const receipts = inMemoryFileReceiptTable();
  const ports = {
    stores: { get: async () => store },
    queue: { send: async (events: readonly FileEvent[]) => void sent.push(...events) },
    rejections: inMemoryRejectionTable(),
    events: inMemoryEventPublisher(directly, []),
    imports: inMemoryImportTable(directly, imports),
    clock: { now: () => PUT_AT + 60_000 },
    readingPlaces: inMemoryReadingPlaces(),
    importQueue: { send: async () => {} },
    reports: inMemoryImportReports(),
    storeListings: inMemoryStoreListings(directly, listings),
    receipts,
    files: {
      metadata: async () => ({}),
      open: async () => Readable.from([Buffer.from(csv)], { objectMode: false }),
    },
  };
  const stopAt = Number.POSITIVE_INFINITY;
  return {
    list,
    /** A product was created, and nothing has been said of its stock since. */
    create: (sku: string, knownAt: number) => {
      const target = targetOf({ sku });
      const product = { storeClientId: 's-1', target, sameAs: [], knownAt };
      listings.replace(target, createdListing(product), undefined, {});
    },
    rename: (products: Store['names']['products']) => {
      for (const { target } of listings.all()) listings.delete(target);
      store = { ...store, names: { ...store.names, products } };
    },
    /** Reads the file, has its rows taken, and compares the listings. */
    read: async () => {
      await importFile(ports, file, {
        stopAt,
        endsAt: stopAt,
        goOn: () => Promise.reject(new Error('there was time enough')),
      });
      const taken = sent
        .splice(0)
        .map(({ detail }) => detail as { items: { sku: string }[]; version?: number });
      const rows = taken.flatMap(({ items, version }) => items.map(({ sku }) => ({ sku, version })));
      for (const { sku, version } of rows)
        list(targetOf({ sku }), version ?? PUT_AT, undefined, version === undefined ? 'time' : 'integer');
      await receipts.putAll([{ importId, message: 0, rows: rows.length, rejected: {} }], PUT_AT);
      return continueFull(ports, importId, { stopAt });
    },
    record: () => imports.read(importId)?.value,
    imports: ports.imports,
    release: () => continueFull(ports, importId, { stopAt, isReleased: true }),
    zeros: () => sent.flatMap(({ detail }) => ('items' in detail ? detail.items : [])),
  };
}

test('a full file sets the stock of the listings that it does not name to 0', async () => {
  const { read, zeros } = setUp(['A', 'B', 'C'], 'sku,stock\nA,1\nB,2\n');
  expect(await read()).toBe('ended');
  expect(zeros()).toEqual([{ sku: 'C', stock: 0 }]);
});

test.each([
  ['in milliseconds', 'sku,stock,occurredAt\nA,1,2026-11-21T07:59:00Z\nB,2,2026-11-21T07:59:00Z\n', -60_000],
  ['of integers, by the time of the file', 'sku,stock,version\nA,1,7\nB,2,7\n', 0],
])(
  'a full file with versions %s says nothing of a product that was created after it',
  async (_, csv, fileAt) => {
    const { read, zeros, create } = setUp(['A', 'B'], csv);
    create('BEFORE', PUT_AT + fileAt);
    create('AFTER', PUT_AT + fileAt + 1);
    expect(await read()).toBe('ended');
    expect(zeros()).toEqual([{ sku: 'BEFORE', stock: 0 }]);
  },
);

test('a full file that names less than half of the listings is held, and sets the others to 0 when it is released', async () => {
  const { read, release, zeros } = setUp(['A', 'B', 'C'], 'sku,stock\nA,1\n');
  expect(await read()).toBe('held');
  expect(zeros()).toEqual([]);
  expect(await release()).toBe('ended');
  expect(zeros()).toEqual(['B', 'C'].map((sku) => ({ sku, stock: 0 })));
});

test('a file that is held for what it leaves out is not released by a decimal: its numbers were read, and nothing would be done', async () => {
  const { read, imports } = setUp(['A', 'B', 'C'], 'sku,stock\nA,1\n');
  await read();
  const released: unknown[] = [];
  const importQueue = { send: async (message: unknown) => void released.push(message) };
  const ports = { imports, clock: { now: () => PUT_AT }, importQueue };
  await expect(releaseImport(ports, importId, { decimal: ',' })).rejects.toMatchObject({
    code: 'DECIMAL_UNEXPECTED',
  });
  expect(released).toEqual([]);
  await releaseImport(ports, importId);
  expect(released).toEqual([{ importId, isReleased: true }]);
});

const lostZeros = readFileSync(`${import.meta.dirname}/../files/full-lost-zeros.csv`, 'utf8');
const withZeros = ['00101', '00102', '00103', '00104', ...[5, 6, 7, 8, 9, 10].map((index) => `B-${index}`)];

test('a full file that names products which the store does not have, and leaves out others, is held with both and the likely pairs', async () => {
  const { read, record, zeros } = setUp(withZeros, lostZeros);
  expect(await read()).toBe('held');
  expect(zeros()).toEqual([]);
  expect(record()?.full).toMatchObject({
    missing: 4,
    missingNames: ['00101', '00102', '00103', '00104'].map((sku) => `sku:${sku}`),
    unknownNames: ['101', '102', '103', '104'].map((sku) => `sku:${sku}`),
    hold: {
      reason:
        'the file names 4 products that the store does not have (101, 102, 103, 104) and leaves out 4 that it has (00101, 00102, 00103, 00104), whose stock would become 0; likely the same: 101 = 00101, 102 = 00102, 103 = 00103, 104 = 00104',
    },
  });
});

test('a full file is held again when its unknown products have listings that the marketplace has refused', async () => {
  const { list, read, zeros } = setUp(withZeros, lostZeros);
  for (const sku of ['101', '102', '103', '104'])
    list(targetOf({ sku }), PUT_AT - 1, { outcome: 'rejected', code: 'INV_001' });
  expect(await read()).toBe('held');
  expect(zeros()).toEqual([]);
});

test.each([
  ['8990000000017', '8.99E+12,5'],
  ['00101', '101,x'],
])(
  'a full file that leaves %s out is held if a row of it, %s, was rejected and names a product that the store does not have',
  async (sku, row) => {
    const { read, zeros, record } = setUp([sku, 'B', 'C'], `sku,stock\n${row}\nB,1\nC,2\n`);
    expect(await read()).toBe('held');
    expect(zeros()).toEqual([]);
    const [name] = row.split(',');
    expect(record()?.full?.hold?.reason).toContain(
      `does not have (${name}) and leaves out 1 that it has (${sku})`,
    );
  },
);

test('a full file with new products that leaves out none is not held, nor is one with empty rows', async () => {
  const { read } = setUp(['A', 'B', 'C'], 'sku,stock\nA,1\nB,2\nC,3\nD,4\n,\n,\n');
  expect(await read()).toBe('ended');
});

test('a full file that is released after its store got other names sets none of the new listings to 0', async () => {
  const { read, rename, list, release, zeros } = setUp(['A', 'B', 'C'], 'sku,stock\nA,1\n');
  expect(await read()).toBe('held');
  rename('externalId');
  list(targetOf({ externalId: externalIdOf(1) }), PUT_AT - 1);
  expect(await release()).toBe('ended');
  expect(zeros()).toEqual([]);
});
