import { expect, test } from 'vitest';
import { importRows } from '../../../../tools/bench/import/main.ts';

const ROWS_PER_MESSAGE = 100;
const MESSAGES_PER_CALL = 10;

test.each([
  ['catalog', 'ndjson', 20_000, 9_000_000],
  ['catalog', 'csv', 20_000, 2_000_000],
  ['catalog', 'json', 20_000, 9_000_000],
  ['stock', 'csv', 200_000, 6_000_000],
  ['stock', 'ndjson', 200_000, 5_000_000],
] as const)(
  'a %s file in %s of %d rows, %d bytes and more, is imported with a heap of 32 MB and ten messages to a call of SQS',
  async (kind, format, rows, least) => {
    const { fileBytes, rowsSent, commands, parts, reading, calls, messages } = await importRows({
      kind,
      format,
      rows,
      heapMb: 32,
    });
    expect(fileBytes).toBeGreaterThan(least);
    expect(parts).toBeGreaterThan(3);
    const count = rows / ROWS_PER_MESSAGE;
    expect({ rowsSent, commands, messages, calls, reading }).toMatchObject({
      rowsSent: rows,
      commands: count,
      messages: count,
      calls: count / MESSAGES_PER_CALL,
      reading: { rows, sent: rows, commands: count },
    });
  },
);
