import { expect, test } from 'vitest';
import { showsChanges } from '../../../../shared/batches/rules/read-back.ts';

const shown = { name: 'New', weight: 3, dimensions: { length: 1, width: 2, height: 3, unit: 'cm' } };

test.each([
  ['the value that was set', { name: 'New' }, 'done'],
  ['another value', { name: 'Old' }, 'not done'],
  ['one of two values', { name: 'New', weight: 4 }, 'not done'],
  ['an object with a field more', { dimensions: { length: 1, width: 2, height: 3 } }, 'done'],
  ['an object with another field', { dimensions: { length: 1, width: 2, height: 4 } }, 'not done'],
  ['nothing of what was set', { subCategoryId: 'c' }, 'unknown'],
  ['variants, which are not compared', { variants: { items: [] } }, 'unknown'],
  ['what can be compared', { name: 'New', photos: ['https://partner.example/1.jpg'] }, 'done'],
])('a product that shows %s', (_, changes, sighting) => {
  expect(showsChanges({ ...shown, photos: ['https://cdn.example/1.jpg'] }, changes)).toBe(sighting);
});
