import { expect, test } from 'vitest';
import { showsChanges } from '../../../../shared/batches/rules/read-back.ts';

const CATEGORY = '6f1c8a52-3b7e-4d0a-9c55-2e8f7b1d4a60';
const shown = {
  name: 'New',
  categoryId: CATEGORY,
  weight: 3,
  dimensions: { length: 1, width: 2, height: 3, unit: 'cm' },
};

test.each([
  ['done', 'the value that was set', { name: 'New' }],
  ['not done', 'another value', { name: 'Old' }],
  ['not done', 'one of two values', { name: 'New', weight: 4 }],
  ['done', 'an object with an additional field', { dimensions: { length: 1, width: 2, height: 3 } }],
  ['not done', 'an object with another field', { dimensions: { length: 1, width: 2, height: 4 } }],
  ['done', 'a UUID in another case', { categoryId: CATEGORY.toUpperCase() }],
  ['not done', 'a text in another case', { name: 'NEW' }],
  ['unknown', 'none of the changed fields', { subCategoryId: 'c' }],
  ['unknown', 'variants, which are not compared', { variants: { items: [] } }],
  ['done', 'the fields that can be compared', { name: 'New', photos: ['https://partner.example/1.jpg'] }],
])('an update counts as %s when the product shows %s', (outcome, _, changes) => {
  expect(showsChanges({ ...shown, photos: ['https://cdn.example/1.jpg'] }, changes)).toBe(outcome);
});
