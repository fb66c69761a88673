import { expect, test } from 'vitest';
import * as z from 'zod';
import { changedPriceItem } from '../../../shared/changes/rules/read-items.ts';
import { compiled } from '../../../shared/collections/compiled.ts';
import { inputErrors } from '../../../shared/errors/input-errors.ts';
import { stockItem } from '../../../shared/marketplace/offer-rows.ts';
import { simpleProduct, variantProduct } from '../../../shared/marketplace/product-request.ts';

const rows = { stockItem, changedPriceItem, simpleProduct, variantProduct };

// zod would quietly return a schema that it can't compile as it is.
test.each(Object.entries(rows))('zod compiles the schema of rows %s', (_, schema) => {
  expect(() => z.compile<z.ZodType>(schema, { strict: true })).not.toThrow();
});

test.each([
  ['valid', { sku: 'A', stock: 5, warehouses: ['wh-1'] }],
  ['without a name', { stock: 5 }],
  ['with an unknown field', { sku: 'A', stok: 5 }],
  ['no object', 'A'],
])('a compiled schema judges a row that is %s as the schema does', (_, row) => {
  const given = { error: inputErrors };
  expect(compiled(stockItem)().safeParse(row, given)).toEqual(stockItem.safeParse(row, given));
});

test('a schema is compiled once', () => {
  const schemaOf = compiled(stockItem);
  expect(schemaOf()).toBe(schemaOf());
});

test('the error of many unknown names quotes the first ten', () => {
  const names = Array.from({ length: 5000 }, (_, index) => [`n${index}`, 1]);
  const row = { sku: 'A', stock: 1, ...Object.fromEntries(names) };
  const { error } = compiled(stockItem)().safeParse(row, { error: inputErrors });
  expect(error?.issues[0]?.message).toMatch(/^unknown "n0", .*"n9", 4990 more; allowed: /);
});
