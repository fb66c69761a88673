import { expect, test } from 'vitest';
import { importRows } from '../../../bench/import/main.ts';

test.each([
  ['catalog', 'ndjson', 20_000, 9_000_000],
  ['catalog', 'csv', 20_000, 2_000_000],
  ['catalog', 'json', 20_000, 9_000_000],
  ['stock', 'csv', 200_000, 6_000_000],
  ['stock', 'ndjson', 200_000, 5_000_000],
] as const)(
  'a %s file in %s of %d rows, %d bytes and more, is imported with a heap of 32 MB',
  async (kind, format, rows, least) => {
    const { fileBytes, rowsSent, commands, parts, reading } = await importRows({
      kind,
      format,
      rows,
      heapMb: 32,
    });
    expect(fileBytes).toBeGreaterThan(least);
    expect(parts).toBeGreaterThan(3);
    expect({ rowsSent, commands, reading }).toMatchObject({
      rowsSent: rows,
      commands: rows / 100,
      reading: { rows, sent: rows, commands: rows / 100 },
    });
  },
  60_000,
);
