import { expect, test } from 'vitest';
import * as z from 'zod';
import { inputErrors } from '../../../shared/errors/input-errors.ts';
import { price, stock, uuid } from '../../../shared/marketplace/fields.ts';
import { imported } from '../imports/use-cases/put-file.ts';

test.each<[string, z.ZodType, unknown, string]>([
  ['a decimal stock', stock, 1.5, 'must be a whole number'],
  ['a text as stock', stock, '5', 'must be a number'],
  ['a negative stock', stock, -1, 'must be 0 or more'],
  ['an immense stock', stock, 1e20, 'must be 9007199254740991 or less'],
  ['a text as price', price, 'free', 'must be a number'],
  ['a position below 1', z.int().positive(), 0, 'must be more than 0'],
  ['a text as UUID', uuid, 'x', 'must be a UUID'],
  ['a text as URL', z.url(), 'x', 'must be a URL'],
  ['a text as time', z.iso.datetime(), 'yesterday', 'must be a time, such as 2026-11-27T08:30:00Z'],
  ['a number as text', z.string(), 5, 'must be a text'],
  ['an empty text', z.string().min(1), '', 'must not be empty'],
  ['a long text', z.string().max(3), 'abcd', 'must have 3 characters or less'],
  ['a text as list', z.array(z.string()), 'a', 'must be a list'],
  ['a word that is not allowed', z.enum(['accept', 'reject']), 'no', 'must be one of "accept", "reject"'],
  ['nothing', stock, undefined, 'must be given'],
])('%s is refused in words', (_, schema, value, message) => {
  expect(schema.safeParse(value, { error: inputErrors }).error?.issues[0]?.message).toBe(message);
});

test('the rows of a file are rejected in words', async () => {
  const rows = [
    { sku: 'a', stock: 1.5 },
    { sku: 'b', stock: 1e20 },
    { id: 'x', stock: 1 },
    { sku: 'c', stock: 1, occurredAt: true },
  ];
  const { rejections } = await imported({
    key: 'stock/s-1/a.ndjson',
    content: rows.map((row) => JSON.stringify(row)).join('\n'),
  });
  expect(rejections().map(({ message }) => message)).toEqual([
    'stock: must be a whole number',
    'stock: must be 9007199254740991 or less',
    'id: must be a UUID',
    expect.stringMatching(/^occurredAt: (?!Invalid)/),
  ]);
});
