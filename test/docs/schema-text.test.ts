import { expect, test } from 'vitest';
import * as z from 'zod';
import { jsonSchemaOf } from '../../tools/describe/openapi.ts';
import { schemaText } from '../../tools/describe/pages/schema-text.ts';

const textOf = (schema: z.ZodType) => schemaText(jsonSchemaOf(schema, 'input'));

test.each([
  ['a text', z.string(), 'string'],
  ['a UUID', z.guid(), 'UUID'],
  ['a time', z.iso.datetime(), 'ISO 8601 time'],
  ['an integer', z.int(), 'integer'],
  ['a range', z.int().min(1).max(1000), 'integer 1 … 1000'],
  ['a number above 0', z.number().positive(), 'number > 0'],
  ['a choice', z.enum(['accept', 'reject']), "'accept' | 'reject'"],
  ['what may be null', z.number().nullable(), 'number | null'],
  ['a record', z.record(z.string(), z.boolean()), '{ [name]: boolean }'],
  ['fields that may be left out', z.object({ sku: z.string().optional() }), '{ sku?: string }'],
  ['a name that is no word', z.object({ 'shipping-label': z.boolean() }), "{ 'shipping-label': boolean }"],
  ['a list', z.object({ items: z.array(z.object({ stock: z.int() })) }), '{ items: [{ stock: integer }] }'],
])('%s is shown as short text', (_, schema, text) => {
  expect(textOf(schema)).toBe(text);
});

test('an object that is too long for one line has as many lines as its fields need', () => {
  const names = [
    'aVeryLongNameOfAField',
    'anotherVeryLongNameOfAField',
    'oneMoreVeryLongNameOfAField',
    'short',
  ];
  const inner = z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
  expect(textOf(z.object({ count: z.int(), items: z.array(inner), last: z.int() }))).toBe(
    [
      '{',
      '  count: integer,',
      '  items: [{',
      '    aVeryLongNameOfAField: string, anotherVeryLongNameOfAField: string,',
      '    oneMoreVeryLongNameOfAField: string, short: string',
      '  }],',
      '  last: integer',
      '}',
    ].join('\n'),
  );
});
