import { setImmediate } from 'node:timers/promises';
import type { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { createImportTable } from '../../../shared/aws/input-table.ts';

const PUT_AT = '2026-01-01T00:00:00.000Z';
const FULL = { known: 4, missing: 3, zeroed: 0, spared: [], isSparedIncomplete: false };

/** A table whose lists of held and of failed files have 500 files. */
function tableOfMany(file: object) {
  const most = { read: 0, reading: 0 };
  let reading = 0;
  const send = async ({ input }: GetCommand | QueryCommand) => {
    if ('Key' in input) {
      reading += 1;
      most.read += 1;
      most.reading = Math.max(most.reading, reading);
      await setImmediate();
      reading -= 1;
      const [, importId] = String(input.Key?.inputId).split('#');
      return { Item: { ...file, inputId: input.Key?.inputId, importId } };
    }
    const {
      Limit = 500,
      ExclusiveStartKey: from,
      ExpressionAttributeValues: values,
    } = input as QueryCommand['input'];
    if (!/^#(held|failed)$/.test(values?.[':partition'])) return { Items: [] };
    const begin = Number(from?.number ?? 0);
    const numbers = Array.from({ length: Math.min(Limit, 500 - begin) }, (_, index) => begin + index);
    const next = begin + numbers.length;
    return {
      Items: numbers.map((number) => ({ importId: `i-${number}` })),
      ...(next < 500 && { LastEvaluatedKey: { number: next } }),
    };
  };
  return { most, imports: createImportTable({ send } as unknown as DynamoDBDocumentClient, 'Inputs', 90) };
}

const file = { storeClientId: 's', bucket: 'b', key: 'stock/s/a.csv', putAt: PUT_AT, startedAt: PUT_AT };
const held = { ...file, full: { ...FULL, state: 'held' } };
const ended = { ...file, full: { ...FULL, state: 'ended' } };
const reading = { endedAt: PUT_AT, rows: 1, sent: 0, rejected: { ROW_INVALID: 1 }, commands: 0 };

test('the held files are read until as many are found as are wanted', async () => {
  const { most, imports } = tableOfMany(held);
  expect(await imports.listHeld(51)).toHaveLength(51);
  expect(most.read).toBe(51);
});

test('of files whose hold has ended, 20 are read at a time', async () => {
  const { most, imports } = tableOfMany(ended);
  expect(await imports.listHeld(51)).toEqual([]);
  expect(most).toEqual({ read: 500, reading: 20 });
});

test('the files that failed are read 20 at a time, until as many are found as are wanted', async () => {
  const { most, imports } = tableOfMany({ ...file, reading });
  expect(await imports.listFailed(PUT_AT, 51)).toHaveLength(51);
  expect(most).toEqual({ read: 51, reading: 20 });
});
