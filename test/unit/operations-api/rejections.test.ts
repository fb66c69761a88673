import { expect, test } from 'vitest';
import { rejectionRoutes } from '../../../functions/operations-api/rejections.ts';
import type { ChangeEventRecord } from '../../../shared/changes/change-events.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryImportTable } from '../../doubles/in-memory-import-table.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { connectedStore } from '../stores/store-ports.ts';
import { requestTo } from './request.ts';

const at = '2026-11-21T08:00:00.000Z';
const common = { rejectedAt: at, code: 'INV_001', message: 'no' };

async function setUp(stores: readonly string[] = ['s-1', 's-2']) {
  const ports = {
    stores: inMemoryStoreTable(),
    rejections: inMemoryRejectionTable(),
    changeEvents: inMemoryChangeEventTable(),
    imports: inMemoryImportTable(),
  };
  for (const storeClientId of stores) await ports.stores.put({ ...connectedStore(), storeClientId });
  const routes = rejectionRoutes(ports);
  const call = (key: string, query: Record<string, string>) => {
    const route = routes.find((one) => one.key === key) ?? expect.unreachable();
    return route.handle(requestTo(key, { pathParameters: { storeClientId: 's-1' }, query }));
  };
  return {
    rejections: ports.rejections,
    changeEvents: ports.changeEvents,
    imports: ports.imports,
    list: (query: Record<string, string>) => call('GET /stores/{storeClientId}/rejections', query),
    listAll: (query: Record<string, string>) => call('GET /rejections', query),
  };
}

test('the rejections of a store are listed by one thing that they are about, the newest first on request', async () => {
  const { rejections, list } = await setUp();
  await rejections.putAll([
    { ...common, storeClientId: 's-1', rejectionId: `${at}#1`, sku: 'A' },
    { ...common, storeClientId: 's-1', rejectionId: `${at}#2`, sku: 'B' },
    { ...common, storeClientId: 's-1', rejectionId: `${at}#3`, sku: 'A', orderId: 'o-1' },
  ]);
  const found = await list({ target: 'sku:A', order: 'newest', limit: '5' });
  expect(found.body).toMatchObject({ rejections: [{ rejectionId: `${at}#3` }, { rejectionId: `${at}#1` }] });
  expect((await list({ target: 'sku:A', since: '2026-11-21T08:00:00.001Z' })).body).toEqual({
    rejections: [],
  });
  await expect(list({ target: 'sku:A', orderId: 'o-1' })).rejects.toMatchObject({ status: 400 });
});

test('the rejections of all stores, and of events that name none, are listed together, the newest first', async () => {
  const { rejections, listAll } = await setUp();
  await rejections.putAll([
    { ...common, storeClientId: 's-1', rejectionId: `${at}#1`, sku: 'A' },
    { ...common, storeClientId: 's-2', rejectionId: `${at}#2`, sku: 'A' },
    { ...common, storeClientId: '-', rejectionId: `${at}#3` },
  ]);
  const idsOf = async (query: Record<string, string>) => {
    const { body } = await listAll(query);
    return (body as { rejections: { rejectionId: string }[] }).rejections.map(({ rejectionId }) =>
      rejectionId.at(-1),
    );
  };
  expect(await idsOf({})).toEqual(['3', '2', '1']);
  expect(await idsOf({ target: 'sku:A' })).toEqual(['2', '1']);
  expect(await idsOf({ storeClientId: 's-2' })).toEqual(['2']);
});

test('of more than 50 stores one must be named, as each costs a query', async () => {
  const { listAll } = await setUp(Array.from({ length: 51 }, (_, index) => `s-${index}`));
  await expect(listAll({})).rejects.toMatchObject({ status: 400, code: 'STORE_REQUIRED' });
  expect((await listAll({ storeClientId: 's-1' })).status).toBe(200);
});

test('the rows of a stock event that the marketplace rejected are found by the event: by product and version', async () => {
  const { rejections, changeEvents, list, listAll } = await setUp();
  const event = {
    eventId: 'e-1',
    detailType: 'stock.changed',
    storeClientId: 's-1',
    takenAt: at,
    rows: 2,
    versionKind: 'time',
    version: 7,
    targets: ['sku:A', 'sku:B'],
    registers: ['stock'],
  } as const;
  await changeEvents.putAll([{ ...event, targets: [...event.targets], registers: [...event.registers] }]);
  const row = { ...common, storeClientId: 's-1', batchId: 'b-1' };
  await rejections.putAll([
    { ...row, rejectionId: `${at}#1`, sku: 'A', versions: [7] },
    { ...row, rejectionId: `${at}#2`, sku: 'B', versions: [8] },
    { ...row, rejectionId: `${at}#3`, sku: 'B', code: 'INV_009', versions: [6, 7] },
    { ...common, storeClientId: 's-1', rejectionId: `${at}#4`, eventId: 'e-1', rowIndex: 1 },
  ]);
  const idsOf = async (read: typeof list, query: object = {}) => {
    const { body } = await read({ eventId: 'e-1', ...query });
    const { rejections: found } = body as { rejections: { rejectionId: string }[] };
    return found.map(({ rejectionId }) => rejectionId.at(-1)).sort();
  };
  expect(await idsOf(list)).toEqual(['1', '3', '4']);
  expect(await idsOf(listAll)).toEqual(['1', '3', '4']);
  expect(await idsOf(listAll, { storeClientId: 's-2' })).toEqual([]);
  expect(await idsOf(list, { code: 'INV_009' })).toEqual(['3']);
});

test('by an event with more products than are kept it is said that not all of its rejected rows are found', async () => {
  const { changeEvents, list, listAll } = await setUp();
  const event: ChangeEventRecord = {
    eventId: 'e-1',
    detailType: 'stock.changed',
    storeClientId: 's-1',
    takenAt: at,
    rows: 101,
    versionKind: 'time',
    version: 7,
    targets: Array.from({ length: 100 }, (_, number) => `sku:${number}`),
    registers: ['stock'],
  };
  await changeEvents.putAll([event]);
  for (const read of [list, listAll])
    expect((await read({ eventId: 'e-1' })).body).toMatchObject({
      rejections: [],
      message: expect.stringMatching('first 100 products are found by it'),
    });
  await changeEvents.putAll([{ ...event, rows: 100 }]);
  expect((await list({ eventId: 'e-1' })).body).toEqual({ rejections: [] });
});

test('a rejected row of an event is found, though its product had many newer rejections', async () => {
  const { rejections, changeEvents, list } = await setUp();
  await changeEvents.putAll([
    {
      eventId: 'e-1',
      detailType: 'stock.changed',
      storeClientId: 's-1',
      takenAt: at,
      rows: 1,
      versionKind: 'time',
      version: 7,
      targets: ['sku:A'],
      registers: ['stock'],
    },
  ]);
  const row = { ...common, storeClientId: 's-1', batchId: 'b-1', sku: 'A' };
  const idOf = (number: number) => `${at}#${String(number).padStart(3, '0')}`;
  const newer = Array.from({ length: 60 }, (_, number) => ({
    ...row,
    rejectionId: idOf(100 + number),
    versions: [8],
  }));
  await rejections.putAll([{ ...row, rejectionId: idOf(0), versions: [7] }, ...newer]);
  expect((await list({ eventId: 'e-1' })).body).toMatchObject({ rejections: [{ rejectionId: idOf(0) }] });
});

test.each([
  [
    'rows of it were rejected after they were sent',
    'stock',
    { rejected: { INV_001: 3 }, endedAt: at },
    'INV_001 3',
  ],
  ['rows of it have no outcome yet', 'prices', undefined, 'not all of them have an outcome yet'],
  ['it is a dry run', 'dry-run/stock', undefined, 'Rows of a dry run'],
  ['no row that was sent was rejected', 'stock', { rejected: {}, endedAt: at }, undefined],
  ['it is a catalog, whose rows have the command of their file', 'catalog', undefined, undefined],
] as const)(
  'the list of the rejections of a file says what it lacks where %s',
  async (_, folder, rows, said) => {
    const { rejections, imports, list, listAll } = await setUp();
    const importId = 'a'.repeat(32);
    const reading = { endedAt: at, rows: 4, sent: 3, rejected: { CELL_INVALID: 1 }, commands: 1 };
    await imports.update(importId, () => ({
      importId,
      storeClientId: 's-1',
      bucket: 'b',
      key: `${folder}/s-1/a.csv`,
      putAt: at,
      startedAt: at,
      reading,
      ...(rows && { followed: { accepted: 0, superseded: 0, batches: [], ...rows } }),
    }));
    await rejections.putAll([
      { ...common, storeClientId: 's-1', rejectionId: `${at}#1`, commandId: importId, code: 'CELL_INVALID' },
    ]);
    for (const read of [list, listAll]) {
      const { body } = await read({ importId });
      expect(body).toMatchObject({ rejections: [{ code: 'CELL_INVALID' }] });
      const { message = '' } = body as { message?: string };
      if (said === undefined) expect(message).toBe('');
      else {
        expect(message).toContain(said);
        expect(message).toContain(`connector imports rejects ${importId}`);
      }
    }
  },
);
