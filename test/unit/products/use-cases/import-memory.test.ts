import { expect, test } from 'vitest';
import { importRows } from '../../../bench/import/main.ts';

const ROWS = 20_000;
const ROWS_PER_MESSAGE = 100;
const MESSAGES_PER_CALL = 10;

test.each([
  ['ndjson', 9_000_000],
  ['csv', 2_000_000],
  ['json', 9_000_000],
] as const)(
  'a %s file of 20,000 rows, %d bytes and more, is imported with a heap of 32 MB and ten messages to a call of SQS',
  async (format, least) => {
    const { fileBytes, products, commands, parts, reading, calls, messages } = await importRows({
      format,
      rows: ROWS,
      heapMb: 32,
    });
    expect(fileBytes).toBeGreaterThan(least);
    expect(parts).toBeGreaterThan(3);
    const count = ROWS / ROWS_PER_MESSAGE;
    expect({ products, commands, messages, calls, reading }).toMatchObject({
      products: ROWS,
      commands: count,
      messages: count,
      calls: count / MESSAGES_PER_CALL,
      reading: { rows: ROWS, sent: ROWS, commands: count },
    });
  },
  60_000,
);
