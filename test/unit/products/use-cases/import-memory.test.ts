import { expect, test } from 'vitest';
import { importRows } from '../../../bench/import/main.ts';

const ROWS = 20_000;

test.each([
  ['ndjson', 9_000_000],
  ['csv', 2_000_000],
  ['json', 9_000_000],
] as const)(
  'a %s file of 20,000 rows, %d bytes and more, is imported with a heap of 32 MB',
  async (format, least) => {
    const { fileBytes, products, commands, parts, reading } = await importRows({
      format,
      rows: ROWS,
      heapMb: 32,
    });
    expect(fileBytes).toBeGreaterThan(least);
    expect(parts).toBeGreaterThan(3);
    expect({ products, commands, reading }).toMatchObject({
      products: ROWS,
      commands: ROWS / 100,
      reading: { rows: ROWS, sent: ROWS, commands: ROWS / 100 },
    });
  },
  60_000,
);
