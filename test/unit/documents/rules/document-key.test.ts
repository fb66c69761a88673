import { expect, test } from 'vitest';
import { documentKey } from '../../../../shared/documents/rules/document-key.ts';

const command = { storeClientId: 'store-1', orderId: 'o-1', document: 'invoice' } as const;

test('a document has a key of its own per store, order and kind', () => {
  expect(documentKey(command)).toBe('documents/store-1/o-1/invoice.pdf');
});

test('a UUID in another case names the same document, and any other ID another one', () => {
  const orderId = '6f1b8c52-6d0e-4a3b-9f6e-2d1f0c9b8a77';
  const key = `documents/store-1/${orderId}/invoice.pdf`;
  expect(documentKey({ ...command, orderId })).toBe(key);
  expect(documentKey({ ...command, orderId: orderId.toUpperCase() })).toBe(key);
  expect(documentKey({ ...command, orderId: 'O-1' })).toBe('documents/store-1/O-1/invoice.pdf');
});

test.each([
  '..',
  '.',
  '',
  '../o-2',
  'a/b',
  'a\\b',
  '%2e%2e',
  'a b',
  'a\n',
  '\u0000',
  'ö',
  '-a',
  'a'.repeat(201),
])('an order ID of %j has none', (orderId) => {
  expect(documentKey({ ...command, orderId })).toBeUndefined();
});

test('a store ID that is no name has none', () => {
  expect(documentKey({ ...command, storeClientId: '../other' })).toBeUndefined();
});
