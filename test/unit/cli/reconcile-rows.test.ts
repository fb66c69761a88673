import { describe, expect, test } from 'vitest';
import { type CompareItems, reconcileRows } from '../../../cli/reconcile/reconcile-rows.ts';
import type { WantedRow } from '../../../cli/reconcile/wanted-rows.ts';
import type { ReconcileReport } from '../../../shared/drift/rules/reconcile-report.ts';

const wanted = (line: number, sku = `S-${line}`): WantedRow => ({
  line,
  item: { sku, price: line },
  target: `sku:${sku}`,
});
const rows = (count: number) => Array.from({ length: count }, (_, index) => wanted(index + 1));
const report = (part: Partial<ReconcileReport>): ReconcileReport => ({
  differences: [],
  equal: [],
  missing: [],
  unread: [],
  invalid: [],
  sent: 0,
  ...part,
});
const targetsOf = (items: Parameters<CompareItems>[0]) => items.map(({ sku }) => `sku:${sku}`);
const linesOf = (list: readonly { line?: number }[]) => list.map(({ line }) => line);

test('a file of many rows is compared in lists of at most 100, with the progress after each', async () => {
  const lengths: number[] = [];
  const progress: number[] = [];
  const found = await reconcileRows(
    rows(250),
    async (items) => {
      lengths.push(items.length);
      return report({ equal: targetsOf(items), sent: 1 });
    },
    (done) => progress.push(done),
  );
  expect({ lengths, progress, equal: found.equal.length, sent: found.sent }).toEqual({
    lengths: [100, 100, 50],
    progress: [100, 200, 250],
    equal: 250,
    sent: 3,
  });
});

test('an error leaves 200,000 rows unread, and is given back', async () => {
  const failure = new Error('refused');
  const found = await reconcileRows(rows(200_000), () => Promise.reject(failure));
  expect({ failure: found.failure, unread: found.unread.length }).toEqual({ failure, unread: 200_000 });
});

test('each result has the line of its row', async () => {
  const difference = { target: 'sku:S-2', register: 'price', wanted: 2, live: 3 } as const;
  const found = await reconcileRows(rows(4), async () =>
    report({
      equal: ['sku:S-1'],
      differences: [difference, { ...difference, register: 'stock' }],
      missing: ['sku:S-3'],
      invalid: [{ index: 3, field: 'price', message: 'too low' }],
      unread: [],
      sent: 1,
    }),
  );
  expect(found).toMatchObject({
    equal: [{ line: 1 }],
    differences: [
      { line: 2, register: 'price' },
      { line: 2, register: 'stock' },
    ],
    missing: [{ line: 3, target: 'sku:S-3' }],
    invalid: [{ line: 4, target: 'sku:S-4', field: 'price', message: 'too low' }],
  });
});

describe('rows that were not read', () => {
  test('are compared again after the others', async () => {
    const calls: string[][] = [];
    const found = await reconcileRows(rows(3), async (items) => {
      const targets = targetsOf(items);
      calls.push(targets);
      return report({ unread: targets.slice(1), equal: targets.slice(0, 1) });
    });
    expect(calls).toEqual([['sku:S-1', 'sku:S-2', 'sku:S-3'], ['sku:S-2', 'sku:S-3'], ['sku:S-3']]);
    expect([linesOf(found.equal), found.unread]).toEqual([[1, 2, 3], []]);
  });

  test('end the comparison if they are a whole list', async () => {
    let calls = 0;
    const found = await reconcileRows(rows(150), async (items) => {
      calls += 1;
      return report({ unread: targetsOf(items) });
    });
    expect([calls, found.unread.length, found.failure]).toEqual([1, 150, undefined]);
  });

  test('are all rows from an error on, which is kept with the results before it', async () => {
    const failure = new Error('no network');
    let calls = 0;
    const found = await reconcileRows(rows(150), async (items) => {
      calls += 1;
      if (calls === 2) throw failure;
      return report({ equal: targetsOf(items) });
    });
    expect([found.equal.length, linesOf(found.unread)[0], found.unread.length]).toEqual([100, 101, 50]);
    expect(found.failure).toBe(failure);
  });
});

test('rows of the same product are in calls of their own, so that each has its own result', async () => {
  const calls: number[][] = [];
  const found = await reconcileRows(
    [wanted(1, 'A'), wanted(2, 'A'), wanted(3, 'B'), wanted(4, 'A')],
    async (items) => {
      calls.push(items.map(({ price }) => Number(price)));
      return report({
        differences: items.map(({ sku, price }) => ({
          target: `sku:${sku}`,
          register: 'price' as const,
          wanted: Number(price),
          live: 9,
        })),
      });
    },
  );
  expect(calls).toEqual([[1, 3], [2], [4]]);
  expect(found.differences.map(({ line, wanted: value }) => [line, value])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
  ]);
});
