import { beforeEach, describe, expect, test } from 'vitest';
import { createDriftTable } from '../../../shared/aws/drift-table.ts';
import { createVerificationTable } from '../../../shared/aws/verification-table.ts';
import type { Drift, ShownPage, Verification } from '../../../shared/drift/model.ts';
import type { DriftTable, VerificationTable } from '../../../shared/drift/ports.ts';
import { newCycle } from '../../../shared/drift/rules/cycle.ts';
import { inMemoryDriftTable } from '../../doubles/in-memory-drift-table.ts';
import { inMemoryVerificationTable } from '../../doubles/in-memory-verification-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();

describe.each<[string, () => DriftTable]>([
  ['in memory', () => inMemoryDriftTable()],
  ['on DynamoDB', () => createDriftTable(local().client, local().tableName('Drift'))],
])('DriftTable %s', (_, create) => {
  let table: DriftTable;
  let storeClientId: string;

  beforeEach(() => {
    table = create();
    storeClientId = freshId('store');
  });

  const open = { wanted: 5, version: 1, live: null, since: '2026-01-05T00:00:00.000Z', rearmedAt: 7 };
  const driftOf = (target: string, contestedSince?: string): Drift => ({
    storeClientId,
    target,
    registers: {
      price: { open, relapses: 1, ...(contestedSince !== undefined && { contestedSince }) },
      'stock:wh': { repairedAt: 9, relapses: 0 },
    },
    notShownSince: '2026-01-06T00:00:00.000Z',
  });
  const put = (drift: Drift) => table.update(drift.storeClientId, drift.target, () => drift);

  versionedTableContract<Drift>(() => ({
    update: (change) => table.update(storeClientId, 'sku:A', change),
    numbered: (relapses) => ({ storeClientId, target: 'sku:A', registers: { price: { relapses } } }),
    numberOf: ({ registers }) => registers.price?.relapses ?? 0,
  }));

  test('the drifts of a store are found whole, by target and page by page, until they are removed', async () => {
    const drifts = ['id:1', 'sku:A', 'sku:B'].map((target) => driftOf(target));
    for (const drift of drifts) await put(drift);
    expect(await table.ofStore(storeClientId)).toEqual(new Map(drifts.map((one) => [one.target, one])));
    const listed = await readAllPages(async (page) => {
      const { drifts: entries, ...rest } = await table.list(storeClientId, page);
      return { entries, ...rest };
    });
    expect(listed).toEqual(drifts);
    const read = (await table.ofStore(storeClientId)).get('sku:A');
    expect(read && (await table.remove(read))).toBe(true);
    expect(read && (await table.remove(read))).toBe(false);
    expect([...(await table.ofStore(storeClientId)).keys()]).toEqual(['id:1', 'sku:B']);
    expect(await table.ofStore(freshId('store'))).toEqual(new Map());
  });

  test('a drift that another run has changed since it was read is not removed', async () => {
    await put(driftOf('sku:A'));
    const read = (await table.ofStore(storeClientId)).get('sku:A');
    const changed = { ...driftOf('sku:A'), missingSince: '2026-01-07T00:00:00.000Z' };
    await put(changed);
    expect(read && (await table.remove(read))).toBe(false);
    expect((await table.ofStore(storeClientId)).get('sku:A')).toEqual(changed);
  });

  test('the drift of a listing with the longest target is kept, and removed', async () => {
    const longest = driftOf(`sku:${'A'.repeat(1_020)}`);
    const like = driftOf(`sku:${'A'.repeat(1_019)}B`);
    await put(longest);
    await put(like);
    const changed = { ...longest, missingSince: '2026-01-07T00:00:00.000Z' };
    await put(changed);
    const kept = new Map([longest, like].map((one) => [one.target, one]));
    expect(await table.ofStore(storeClientId)).toEqual(kept.set(longest.target, changed));
    expect(await table.remove(changed)).toBe(true);
    expect([...(await table.ofStore(storeClientId)).keys()]).toEqual([like.target]);
  });

  test('contested drifts are listed over all stores, the longest first, until nothing of them is contested', async () => {
    await put(driftOf('sku:late', '2026-01-07'));
    await put(driftOf('sku:early', '2026-01-06'));
    await put(driftOf('sku:none'));
    const contested = async () => {
      const { drifts } = await table.listContested({ limit: 1000 });
      return drifts.filter((one) => one.storeClientId === storeClientId);
    };
    expect(await contested()).toEqual([
      driftOf('sku:early', '2026-01-06'),
      driftOf('sku:late', '2026-01-07'),
    ]);
    await put(driftOf('sku:early'));
    expect((await contested()).map(({ target }) => target)).toEqual(['sku:late']);
  });

  test('pages replace those of earlier cycles and none of a later one, keep their order and do not mix with drifts', async () => {
    const many = Array.from({ length: 100 }, (__, index) => `sku:product-with-a-long-name-${index}`);
    const pageOf = (list: ShownPage['list'], page: number, cycle: string): ShownPage => ({
      list,
      page,
      cycle,
      targets: many,
      unknown: [{ id: 'p-9', sku: 'X' }],
    });
    await put(driftOf('sku:A'));
    for (const page of [10, 2, 1]) await table.putPage(storeClientId, pageOf('listed', page, 'one'));
    await table.putPage(storeClientId, pageOf('archived', 1, 'two'));
    await table.putPage(storeClientId, pageOf('listed', 2, 'two'));
    // A run that began in the cycle before is late.
    await table.putPage(storeClientId, { ...pageOf('listed', 2, 'one'), targets: [] });
    const all = await table.pagesOf(storeClientId);
    expect(all.map(({ list, page, cycle }) => `${list} ${page} ${cycle}`)).toEqual([
      'archived 1 two',
      'listed 1 one',
      'listed 2 two',
      'listed 10 one',
    ]);
    expect(all[1]).toEqual(pageOf('listed', 1, 'one'));
    const listed = await readAllPages(async (page) => {
      const { pages: entries, ...rest } = await table.listPages(storeClientId, page);
      return { entries, ...rest };
    });
    expect(listed).toEqual(all);
    const former = all.filter(({ cycle }) => cycle === 'one');
    await table.removePages(storeClientId, [...former, pageOf('listed', 2, 'one')]);
    expect(await table.pagesOf(storeClientId)).toHaveLength(2);
    expect(await table.ofStore(storeClientId)).toHaveProperty('size', 1);
  });
});

describe.each<[string, () => VerificationTable]>([
  ['in memory', () => inMemoryVerificationTable()],
  ['on DynamoDB', () => createVerificationTable(local().client, local().tableName('Verifications'))],
])('VerificationTable %s', (_, create) => {
  let table: VerificationTable;
  let storeClientId: string;

  beforeEach(() => {
    table = create();
    storeClientId = freshId('store');
  });

  versionedTableContract<Verification>(() => ({
    update: (change) => table.update(storeClientId, change),
    numbered: (pages) => ({ storeClientId, cycle: { ...newCycle(''), pages } }),
    numberOf: ({ cycle }) => cycle?.pages ?? 0,
  }));

  test('the verifications of all stores are found whole', async () => {
    const cycle = newCycle('2026-01-05T00:00:00.000Z');
    const first: Verification = { storeClientId, cycle };
    const second: Verification = { storeClientId: `${storeClientId}-2` };
    await table.update(storeClientId, () => first);
    await table.update(second.storeClientId, () => second);
    const all = await table.all();
    expect([all.get(storeClientId), all.get(second.storeClientId)]).toEqual([first, second]);
    expect(await table.get(storeClientId)).toEqual(first);
    expect(await table.get(freshId('store'))).toBeUndefined();
  });
});
