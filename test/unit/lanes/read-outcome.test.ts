import { expect, test } from 'vitest';
import { outcomesOf } from '../../../shared/lanes/rules/read-outcome.ts';

const rows = ['id:p', 'sku:S', 'sku:T'].map((target) => ({ target, failures: 0 }));
const rejectedBy = (error: object) =>
  outcomesOf(rows, { errors: [{ code: 'INV_002', message: 'no', ...error }] }, 0, () => 0).map(
    ({ outcome }) => outcome,
  );

test('an error that names no row by its number is that of the row whose target is among its names', () => {
  expect(rejectedBy({ sku: 'of P', id: 'p' })).toEqual(['rejected', 'accepted', 'accepted']);
});

test('an error that names a variant and its product is that of the variant', () => {
  expect(rejectedBy({ id: 'p', sku: 'S' })).toEqual(['accepted', 'rejected', 'accepted']);
});

test('an error that names none of the rows rejects none of them', () => {
  expect(rejectedBy({ sku: 'U' })).toEqual(['accepted', 'accepted', 'accepted']);
});
