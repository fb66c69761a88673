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
  ['accepted', 'the value that was set', { name: 'New' }],
  ['rejected', 'another value', { name: 'Old' }],
  ['rejected', 'one of two values', { name: 'New', weight: 4 }],
  ['accepted', 'an object with an additional field', { dimensions: { length: 1, width: 2, height: 3 } }],
  ['rejected', 'an object with another field', { dimensions: { length: 1, width: 2, height: 4 } }],
  ['accepted', 'a UUID in another case', { categoryId: CATEGORY.toUpperCase() }],
  ['rejected', 'a text in another case', { name: 'NEW' }],
  ['unknown', 'none of the changed fields', { subCategoryId: 'c' }],
  ['unknown', 'variants, which are not compared', { variants: { items: [] } }],
  ['accepted', 'the fields that can be compared', { name: 'New', photos: ['https://partner.example/1.jpg'] }],
])('an update counts as %s when the product shows %s', (outcome, _, changes) => {
  expect(showsChanges({ ...shown, photos: ['https://cdn.example/1.jpg'] }, changes)).toBe(outcome);
});

test.each([
  ['accepted', { description: '' }],
  ['accepted', { hashtags: [] }],
  ['accepted', { isPreorder: false }],
  ['rejected', { description: 'New' }],
  ['rejected', { hashtags: ['new'] }],
  ['rejected', { isPreorder: true }],
  ['rejected', { preorderPeriod: 0 }],
])('an update counts as %s when the product shows null for %j', (outcome, changes) => {
  expect(
    showsChanges({ description: null, hashtags: null, isPreorder: null, preorderPeriod: null }, changes),
  ).toBe(outcome);
});
