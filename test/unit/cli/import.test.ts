import { expect, test } from 'vitest';
import { failureOf } from '../../../cli/commands/import.ts';
import { findImport } from '../../../cli/imports/find-import.ts';
import { noteOthers } from '../../../cli/imports/rejected-rows.ts';
import { describeImport } from '../../../cli/render/import.ts';
import { ImportProgress } from '../../../cli/render/import-progress.ts';
import type { ImportView } from '../../../shared/imports/view.ts';
import { plainTerminal } from './plain-terminal.ts';

const view = {
  importId: '0123456789abcdef0123456789abcdef',
  key: 'stock/s-1/stock.csv',
  state: 'completed_with_errors',
  rows: { read: 5, sent: 4, accepted: 1, superseded: 1, rejected: { INV_001: 2, CELL_INVALID: 1 }, open: 0 },
  batches: ['completed', 'failed', 'completed'].map((state, index) => ({ batchId: `b-${index}`, state })),
} as unknown as ImportView;

const rejected = [
  {
    sku: 'A',
    stock: 'many',
    _rejection: {
      code: 'CELL_INVALID',
      message: '"many" is not a whole number',
      field: 'stock',
      number: 3,
      text: 'A,many',
    },
  },
  { sku: 'B', stock: 7, _rejection: { code: 'INV_001', message: 'no such product', number: 4 } },
  { _rejection: { code: 'ROW_NOT_CSV', message: 'a quote is missing', number: 9, text: '"C,1' } },
].map((line) => JSON.stringify(line));

test.each([
  ['catalog', 'failed', expect.stringContaining('--kind stock or --kind prices')],
  ['catalog', 'completed_with_errors', undefined],
  ['stock', 'failed', undefined],
] as const)('an import of kind %s that ended as %s has the hint %s', (kind, state, hint) => {
  expect(failureOf({ state }, kind)).toMatchObject({ exitCode: 1, hint });
});

test('an import is shown with its counts, its batches by state, and the line, column, value and reason of its first rejected rows', () => {
  expect(describeImport(view, rejected, plainTerminal)).toBe(
    `import        0123456789abcdef0123456789abcdef
file          stock/s-1/stock.csv
rows          completed_with_errors: read 5, sent 4, accepted 1, superseded 1, rejected 3, open 0
INV_001       2
CELL_INVALID  1
batches       2 completed, 1 failed

LINE  COLUMN  VALUE  REASON
3     stock   many   CELL_INVALID: "many" is not a whole number
4             B      INV_001: no such product
9             "C,1   ROW_NOT_CSV: a quote is missing`,
  );
});

test('an import is shown with the columns that its file may have, and with its rows to look at', () => {
  const numbers = Array.from({ length: 10 }, (_, index) => index + 2);
  const shown = describeImport(
    {
      ...view,
      fault: { code: 'FILE_COLUMNS_UNKNOWN', message: 'unknown', details: { columns: ['sku', 'stock'] } },
      warnings: [
        { code: 'SKU_WHITE_SPACE', message: '"A " ends in white space', rows: 12, numbers },
        { code: 'SKU_REPEATED', message: '"B" is in an earlier row', rows: 1, numbers: [4] },
      ],
    },
    [],
    plainTerminal,
  );
  expect(shown.split('\n').slice(5, 9)).toEqual([
    'fault         FILE_COLUMNS_UNKNOWN: unknown',
    'columns       sku, stock',
    'warning       SKU_WHITE_SPACE: "A " ends in white space · 12 rows: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …',
    'warning       SKU_REPEATED: "B" is in an earlier row · 1 row: 4',
  ]);
});

test('the bar of an import shows how much is read, then how many rows have an outcome, with rows per second and the time left', () => {
  const progress = new ImportProgress(1_000);
  const reading = (rows: number, bytes: number) => ({ state: 'reading', progress: { rows, bytes } }) as const;
  const sending = (accepted: number) =>
    ({
      state: 'open',
      rows: { read: 100, sent: 90, accepted, rejected: { X: 10 }, open: 90 - accepted },
    }) as const;
  expect([
    progress.bar({ state: 'reading' }, 0),
    progress.bar(reading(25, 250), 2_000),
    progress.bar(reading(50, 500), 4_000),
    progress.bar(sending(0), 6_000),
    progress.bar(sending(45), 15_000),
  ]).toEqual([
    'reading  [------------------------]   0 %  0 rows',
    'reading  [######------------------]  25 %  25 rows  13 rows/s  6 s left',
    'reading  [############------------]  50 %  50 rows  13 rows/s  4 s left',
    'sending  [##----------------------]  10 %  10 of 100 rows',
    'sending  [#############-----------]  55 %  55 of 100 rows  5 rows/s  9 s left',
  ]);
});

test('the bar of a compressed file has no share while it is read', () => {
  const progress = new ImportProgress(undefined);
  progress.bar({ state: 'reading' }, 0);
  expect(progress.bar({ state: 'reading', progress: { rows: 25, bytes: 250 } }, 1_000)).toBe(
    'reading  25 rows  25 rows/s',
  );
});

test('a file is found by its name: its last import', async () => {
  const notes: string[] = [];
  const asked: unknown[] = [];
  const answers: Record<string, unknown> = {
    search: {
      hits: [
        { kind: 'file', id: 'older', at: '2026-11-26T08:00:00Z' },
        { kind: 'file', id: 'newer', at: '2026-11-27T08:00:00Z' },
        { kind: 'product', id: 'x', at: '2026-11-28T08:00:00Z' },
      ],
    },
    imports: view,
  };
  const context = {
    isJson: false,
    terminal: { note: (text: string) => void notes.push(text) },
    api: {
      call: async (_: unknown, __: string, path: readonly string[], options: unknown = {}) => {
        asked.push([path, options]);
        return answers[path[0] ?? ''];
      },
    },
  } as never;
  expect(await findImport(context, 'stock.csv')).toBe(view);
  expect(await findImport(context, view.importId)).toBe(view);
  expect(asked).toEqual([
    [['search'], { query: { q: 'stock.csv' } }],
    [['imports', 'newer'], {}],
    [['imports', view.importId], {}],
  ]);
  expect(notes).toEqual(['the last of 2 imports of stock.csv: newer']);
});

test('an import is not released or discarded by a name that several have, as they may be of other stores', async () => {
  const hits = [
    { kind: 'file', id: 'older', storeClientId: 's-1', at: '2026-11-26T08:00:00Z' },
    { kind: 'file', id: 'newer', storeClientId: 's-2', at: '2026-11-27T08:00:00Z' },
  ];
  const call = async (_: unknown, __: string, [route]: readonly string[]) =>
    route === 'search' ? { hits, hasMore: true } : view;
  const context = { isJson: false, terminal: {}, api: { call } } as never;
  await expect(findImport(context, 'stock.csv', { isChanged: true })).rejects.toMatchObject({
    exitCode: 2,
    message: '2 or more imports have the name stock.csv',
    hint: 'Name one by its ID: newer (s-2, 2026-11-27 08:00:00Z), older (s-1, 2026-11-26 08:00:00Z).',
  });
  expect(await findImport(context, view.importId, { isChanged: true })).toBe(view);
});

test.each([
  [3, undefined],
  [2, 'Of 3 rejected rows 1 is not among these: `rejections --file i-1` shows why rows were rejected.'],
  [0, 'Of 3 rejected rows 3 are not among these: `rejections --file i-1` shows why rows were rejected.'],
])('of 3 rejected rows, with %i shown, the others are said to be missing: %s', (shown, said) => {
  const notes: string[] = [];
  const terminal = { note: (text: string) => void notes.push(text) };
  const rows = { read: 5, sent: 4, accepted: 2, rejected: { ROW_REPEATED: 2, PRD_002: 1 }, open: 0 };
  noteOthers({ terminal, isJson: false } as never, { importId: 'i-1', rows } as never, shown);
  noteOthers({ terminal, isJson: true } as never, { importId: 'i-1', rows } as never, shown);
  expect(notes).toEqual(said === undefined ? [] : [said]);
});
