import { expect, test } from 'vitest';
import { targetNamed } from '../../../cli/product-target.ts';

test.each([
  ['A-1', 'sku:A-1'],
  ['sku:A-1', 'sku:A-1'],
  ['id:7F9C24E5-2C3A-4F0E-9D6B-1A2B3C4D0000', 'id:7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d0000'],
  ['id:', 'sku:id:'],
])('the product %s is the target %s', (text, target) => {
  expect(targetNamed(text)).toBe(target);
});
