import { expect, test } from 'vitest';
import { warningsOfCommand } from '../../../../shared/products/rules/product-warnings.ts';

const facts = { storeClientId: 's-1', commandId: 'c-1', eventId: 'e-1', time: 0 };

test('a command to create products is warned about unknown fields and about SKUs of products and variants that look like others', () => {
  const products = [
    { externalId: 'e', sku: 'A', name: 'a' },
    { externalId: 'e', sku: 'A ', colour: 'red' },
    { externalId: 'e', variants: { items: [{ sku: 'B' }, { sku: 'B\u00a0' }, { sku: ' B' }, null] } },
    'no object',
  ];
  expect(warningsOfCommand({ ...facts, detailType: 'product.create.requested', products })).toEqual([
    { code: 'FIELD_UNKNOWN', message: expect.stringContaining('"colour"'), rows: 1, numbers: [1] },
    { code: 'SKU_WHITE_SPACE', message: expect.stringContaining('"A "'), rows: 2, numbers: [1, 2] },
  ]);
});

test.each([
  ['the SKU', { sku: 'A\u200b' }],
  ['the SKU of a variant', { variants: { items: [{ sku: '  A' }] } }],
])('an update is warned about %s that it sets', (_, changes) => {
  const command = { ...facts, detailType: 'product.update.requested', productId: 'p', changes } as const;
  expect(warningsOfCommand(command)).toMatchObject([{ code: 'SKU_WHITE_SPACE', rows: 1, numbers: [0] }]);
});

test('an update of other fields, and a deletion, have no warning', () => {
  const changes = { name: ' a ', colour: 'red', variants: 'none' };
  expect(
    warningsOfCommand({ ...facts, detailType: 'product.update.requested', productId: 'p', changes }),
  ).toEqual([]);
  expect(warningsOfCommand({ ...facts, detailType: 'product.delete.requested', ids: [' a'] })).toEqual([]);
});
