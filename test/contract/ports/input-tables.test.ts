import { describe, expect, test } from 'vitest';
import { createChangeEventTable } from '../../../shared/aws/change-event-table.ts';
import { createFileReceiptTable } from '../../../shared/aws/file-receipt-table.ts';
import { createImportTable, createReadingPlaceTable } from '../../../shared/aws/input-table.ts';
import type { ChangeEventRecord, ChangeEventTable } from '../../../shared/changes/change-events.ts';
import type { FileReceiptTable } from '../../../shared/changes/file-receipts.ts';
import type { ImportRecord, ReadingPlaces } from '../../../shared/imports/model.ts';
import type { ImportTable } from '../../../shared/imports/ports.ts';
import type { ReadingPlacePorts } from '../../../shared/imports/use-cases/reading-place.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryFileReceiptTable } from '../../doubles/in-memory-file-receipt-table.ts';
import { inMemoryImportTable } from '../../doubles/in-memory-import-table.ts';
import { inMemoryReadingPlaces } from '../../doubles/in-memory-reading-places.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();

describe.each<[string, () => ImportTable]>([
  ['in memory', () => inMemoryImportTable()],
  ['on DynamoDB', () => createImportTable(local().client, local().tableName('Inputs'), 90)],
])('ImportTable %s', (_, create) => {
  const fileOf = (importId: string, storeClientId: string, second: number): ImportRecord => ({
    importId,
    storeClientId,
    bucket: 'imports',
    key: `catalog/${storeClientId}/a.ndjson`,
    putAt: `2026-11-21T08:00:0${second}Z`,
    startedAt: '2026-11-21T08:01:00.000Z',
  });

  versionedTableContract<ImportRecord>(() => {
    const imports = create();
    const importId = freshId('import');
    return {
      update: (change) => imports.update(importId, change),
      numbered: (number) => ({
        ...fileOf(importId, 's-1', 0),
        reading: { endedAt: 'then', rows: number, sent: number, rejected: {}, commands: 1 },
      }),
      numberOf: ({ reading }) => reading?.rows ?? 0,
    };
  });

  test('the files of a store are listed page by page, those put last first', async () => {
    const imports = create();
    const store = freshId('store');
    const files = [1, 2, 3, 4, 5].map((second) => fileOf(freshId('import'), store, second));
    for (const file of [...files, fileOf(freshId('import'), freshId('store'), 6)]) {
      await imports.update(file.importId, () => file);
    }
    const listed = await readAllPages(async (page) => {
      const { imports: entries, ...rest } = await imports.list(store, page);
      return { entries, ...rest };
    });
    expect(listed).toEqual(files.toReversed());
    expect(await imports.get(files[0]?.importId ?? '')).toEqual(files[0]);
    expect(await imports.get(freshId('import'))).toBeUndefined();
  });

  test('the files of all stores are listed page by page, those put last first, as they were written last', async () => {
    const imports = create();
    const files = [1, 2, 3, 4].map((second) => fileOf(freshId('import'), freshId('store'), second));
    const ended = { endedAt: 'then', rows: 1, sent: 1, rejected: {}, commands: 1 };
    for (const file of files) {
      await imports.update(file.importId, () => file);
      await imports.update(file.importId, (current) => current && { ...current, reading: ended });
    }
    const listed = await readAllPages(async (page) => {
      const { imports: entries, ...rest } = await imports.list(undefined, page);
      return { entries, ...rest };
    });
    // The table has the files of other tests, too.
    const own = listed.filter(({ importId }) => files.some((file) => file.importId === importId));
    expect(own).toEqual(files.toReversed().map((file) => ({ ...file, reading: ended })));
    expect(await imports.list('#all')).toEqual({ imports: [] });
  });

  test('files that failed are listed, those put last first, until another one was put under their key, or they are left', async () => {
    const imports = create();
    const store = freshId('store');
    const none = { endedAt: 'then', rows: 1, sent: 0, rejected: { ROW_INVALID: 1 }, commands: 0 };
    const files = [1, 2, 3].map((second) => ({
      ...fileOf(freshId('import'), store, second),
      key: `stock/${store}/${second}.csv`,
      reading: none,
    }));
    const [first, second, third] = files.map(({ importId }) => importId);
    for (const file of files) await imports.update(file.importId, () => file);
    const since = files[0]?.putAt ?? '';
    const failed = async (from = since) => {
      const listed = await imports.listFailed(from, 1_000);
      return listed.filter((file) => file.storeClientId === store).map(({ importId }) => importId);
    };
    expect(await failed()).toEqual([third, second, first]);
    expect(await failed(files[1]?.putAt)).toEqual([third, second]);
    await imports.update(second ?? '', (current) => current && { ...current, leftAt: 'then' });
    const again = { ...fileOf(freshId('import'), store, 9), key: files[0]?.key ?? '' };
    await imports.update(again.importId, () => again);
    expect(await failed()).toEqual([third, first]);
    const sent = { ...none, sent: 1, rejected: {} };
    await imports.update(again.importId, (current) => current && { ...current, reading: sent });
    expect(await failed()).toEqual([third]);
  });

  test.each([
    ['0055AED6DCD90281E5', '0055AED6DCD9028A01', true],
    ['0055AED6DCD9028A01', '0055AED6DCD90281E5', false],
    ['0055AED6DCD9', '0055AED6DCD9028A01', true],
    [undefined, undefined, false],
  ])(
    'a failed file with the sequencer %s, and one of the same second with %s that was read: replaced is %s',
    async (earlier, later, isReplaced) => {
      const imports = create();
      const store = freshId('store');
      const [failed, read] = [freshId('import'), freshId('import')].map((importId, index) => {
        const sequencer = [earlier, later][index];
        const announced = { eventId: importId, etag: 'e', ...(sequencer !== undefined && { sequencer }) };
        const reading = {
          endedAt: 'then',
          rows: 1,
          commands: 0,
          sent: index,
          rejected: index === 0 ? { A: 1 } : {},
        };
        return { ...fileOf(importId, store, 1), announced, reading };
      });
      for (const file of [failed, read]) if (file) await imports.update(file.importId, () => file);
      const listed = (await imports.listFailed(failed?.putAt ?? '', 1_000)).filter(
        (file) => file.storeClientId === store,
      );
      expect(listed.map(({ importId }) => importId)).toEqual(isReplaced ? [] : [failed?.importId]);
    },
  );

  test('files that were put in one second are listed, and found by their name, those put last first', async () => {
    const imports = create();
    const store = freshId('store');
    const key = `stock/${store}/${store}.csv`;
    const files = ['A1', 'B', 'C0', 'C0FF'].map((sequencer) => {
      const importId = freshId('import');
      return { ...fileOf(importId, store, 1), key, announced: { eventId: importId, etag: 'e', sequencer } };
    });
    // Not in the order of their puts: an earlier one may be read later.
    for (const index of [2, 0, 3, 1]) {
      const file = files[index];
      if (file) await imports.update(file.importId, () => file);
    }
    const before = { ...fileOf(freshId('import'), store, 0), key };
    await imports.update(before.importId, () => before);
    const lastFirst = [...files.toReversed(), before];
    expect((await imports.list(store)).imports).toEqual(lastFirst);
    const all = (await imports.list(undefined)).imports.filter((file) => file.storeClientId === store);
    expect(all).toEqual(lastFirst);
    expect(await imports.listNamed(`${store}.csv`, { limit: 10 })).toEqual(lastFirst);
  });

  test('a file is found by its key, or by its name and its store, and replaced by a later one of its key, also if many other stores have put files of its name since', async () => {
    const imports = create();
    const name = `${freshId('name')}.csv`;
    const store = freshId('store');
    const key = `stock/${store}/${name}`;
    const read = { endedAt: 'then', rows: 1, commands: 1, sent: 1, rejected: {} };
    const failed = {
      ...fileOf(freshId('import'), store, 1),
      key,
      reading: { ...read, sent: 0, rejected: { A: 1 } },
    };
    const again = { ...fileOf(freshId('import'), store, 2), key, reading: read };
    const others = Array.from({ length: 25 }, (_, index) => ({
      ...fileOf(freshId('import'), freshId('store'), 3),
      key: `stock/store-${index}/${name}`,
    }));
    for (const file of [failed, again, ...others]) await imports.update(file.importId, () => file);
    expect(await imports.listNamed(key, { limit: 10 })).toEqual([again, failed]);
    expect(await imports.listNamed(name, { limit: 10, storeClientId: store })).toEqual([again, failed]);
    expect(await imports.listNamed(name, { limit: 1, storeClientId: store })).toEqual([again]);
    expect(await imports.listNamed(name, { limit: 10, storeClientId: 'none' })).toEqual([]);
    const listed = await imports.listFailed(failed.putAt, 1_000);
    expect(listed.filter((file) => file.storeClientId === store)).toEqual([]);
  });

  test('held imports of all stores are listed until their hold ends, and are in no list of a store twice', async () => {
    const imports = create();
    const stores = [freshId('store'), freshId('store')];
    const files = stores.map((store) => fileOf(freshId('import'), store, 1));
    const full = { known: 4, missing: 3, zeroed: 0, spared: [], isSparedIncomplete: false };
    for (const file of files) {
      await imports.update(file.importId, () => ({ ...file, full: { ...full, state: 'comparing' } }));
    }
    const heldIds = async () => {
      const held = await imports.listHeld(1_000);
      return held.map(({ importId }) => importId).filter((id) => files.some((file) => file.importId === id));
    };
    expect(await heldIds()).toEqual([]);
    for (const { importId } of files) {
      await imports.update(
        importId,
        (current) => current && { ...current, full: { ...full, state: 'held' } },
      );
    }
    expect((await heldIds()).sort()).toEqual(files.map(({ importId }) => importId).sort());
    expect(await imports.listHeld(1)).toHaveLength(1);
    const [first] = files;
    await imports.update(
      first?.importId ?? '',
      (current) => current && { ...current, full: { ...full, state: 'discarded' } },
    );
    expect(await heldIds()).toEqual([files[1]?.importId]);
    expect((await imports.list(stores[0] ?? '')).imports).toHaveLength(1);
    expect(await imports.list('#held')).toEqual({ imports: [] });
  });
});

describe.each<[string, () => FileReceiptTable]>([
  ['in memory', () => inMemoryFileReceiptTable()],
  ['on DynamoDB', () => createFileReceiptTable(local().client, local().tableName('ChangeEvents'), 90)],
])('FileReceiptTable %s', (_, create) => {
  test('lists the receipts of a file, the last of each message', async () => {
    const receipts = create();
    const [importId, other] = [freshId('import'), freshId('import')];
    const now = Date.UTC(2026, 10, 22);
    await receipts.putAll(
      [0, 1, 11].map((message) => ({ importId, message, rows: 100, rejected: {} })),
      now,
    );
    await receipts.putAll([{ importId: other, message: 0, rows: 5, rejected: {} }], now);
    const skus = Array.from({ length: 98 }, (_, index) => `sku:${index}`);
    const open = {
      versionKind: 'time' as const,
      version: now,
      targets: skus,
      lines: skus.map((_, index) => index + 2),
      values: skus.map((_, index) => ({ 'stock:wh-1': index })),
    };
    const rejectedLines = [{ line: 100, target: 'sku:x', code: 'VERSION_KIND', message: 'by times' }];
    const repeated = {
      importId,
      message: 1,
      rows: 100,
      rejected: { VERSION_KIND: 2 },
      open,
      rejectedLines,
    };
    await receipts.putAll([repeated], now);
    const listed = (await Array.fromAsync(receipts.pages(importId))).flat();
    expect(listed.map(({ message }) => message)).toEqual([0, 1, 11]);
    expect(listed).toContainEqual(repeated);
    expect((await Array.fromAsync(receipts.pages(freshId('import')))).flat()).toEqual([]);
  });
});

describe.each<[string, () => ChangeEventTable]>([
  ['in memory', () => inMemoryChangeEventTable()],
  ['on DynamoDB', () => createChangeEventTable(local().client, local().tableName('ChangeEvents'), 30)],
])('ChangeEventTable %s', (_, create) => {
  const eventOf = (eventId: string, facts: Partial<ChangeEventRecord> = {}): ChangeEventRecord => ({
    eventId,
    detailType: 'stock.changed',
    storeClientId: 's-1',
    takenAt: '2026-11-21T08:01:00.000Z',
    rows: 2,
    versionKind: 'time',
    version: 1_000,
    targets: ['sku:A', 'sku:B'],
    registers: ['stock', 'stock:wh-1'],
    values: [{ stock: 4, 'stock:wh-1': 3 }, { stock: 0 }],
    ...facts,
  });

  test('finds the stock and the price event of one ID', async () => {
    const events = create();
    const eventId = freshId('event');
    const both = [eventOf(eventId), eventOf(eventId, { detailType: 'price.changed', targets: ['sku:C'] })];
    await events.putAll([...both, eventOf(freshId('event'))]);
    const found = await events.get(eventId);
    expect(found.toSorted((a, b) => (a.detailType < b.detailType ? 1 : -1))).toEqual(both);
    expect(await events.get(freshId('event'))).toEqual([]);
  });

  test('finds each of many events that were taken together', async () => {
    const events = create();
    const taken = Array.from({ length: 200 }, (__, index) => eventOf(freshId('event'), { rows: index }));
    await events.putAll(taken);
    for (const event of taken.slice(0, 20)) expect(await events.get(event.eventId)).toEqual([event]);
  });

  test('keeps one record of an event that is delivered twice, also at once', async () => {
    const events = create();
    const eventId = freshId('event');
    await events.putAll([eventOf(eventId), eventOf(eventId)]);
    await events.putAll([eventOf(eventId)]);
    expect(await events.get(eventId)).toEqual([eventOf(eventId)]);
  });
});

describe.each<[string, () => ReadingPlacePorts['readingPlaces']]>([
  ['in memory', () => inMemoryReadingPlaces()],
  ['on DynamoDB', () => createReadingPlaceTable(local().client, local().tableName('Inputs'))],
])('The reading places %s', (_, create) => {
  versionedTableContract<ReadingPlaces>(() => {
    const places = create();
    const storeClientId = freshId('store');
    return {
      update: (change) => places.update(storeClientId, change),
      numbered: (until) => ({ storeClientId, places: [{ importId: 'i-1', until }] }),
      numberOf: (record) => record.places[0]?.until ?? 0,
    };
  });
});
