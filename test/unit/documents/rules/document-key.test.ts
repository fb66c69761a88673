import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentKey } from '../../../../shared/documents/rules/document-key.ts';

const command = { storeClientId: 'store-1', orderId: 'o-1', document: 'invoice' } as const;

test('a key is unique per store, order and kind of document', () => {
  expect(documentKey(command)).toBe('documents/store-1/o-1/invoice.pdf');
});

test('a UUID in another case gives the same key, and any other ID another one', () => {
  const orderId = '6f1b8c52-6d0e-4a3b-9f6e-2d1f0c9b8a77';
  const key = `documents/store-1/${orderId}/invoice.pdf`;
  expect(documentKey({ ...command, orderId })).toBe(key);
  expect(documentKey({ ...command, orderId: orderId.toUpperCase() })).toBe(key);
  expect(documentKey({ ...command, orderId: 'O-1' })).toBe('documents/store-1/O-1/invoice.pdf');
});

test.each([
  ['shop:7', 'shop!3A7'],
  ['..', '!2E.'],
  ['.', '!2E'],
  ['../o-2', '!2E.!2Fo-2'],
  ['a\\b', 'a!5Cb'],
  ['%2e%2e', '!252e!252e'],
  ['a b', 'a!20b'],
  ['a!3A', 'a!213A'],
  ['a\n', 'a!0A'],
  ['\u0000', '!00'],
  ['ö', '!C3!B6'],
  ['-a', '!2Da'],
  ['a.b_c-d', 'a.b_c-d'],
])('characters that a key can not hold are written as their bytes: %j', (id, segment) => {
  expect(documentKey({ ...command, storeClientId: id })).toBe(`documents/${segment}/o-1/invoice.pdf`);
  expect(documentKey({ ...command, orderId: id })).toBe(`documents/store-1/${segment}/invoice.pdf`);
});

test('any two stores and orders have different keys, which are safe and short enough', () => {
  const id = fc.oneof(
    fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }),
    fc.string({ minLength: 1, maxLength: 4 }),
  );
  const names = fc.record({ storeClientId: id, orderId: id });
  fc.assert(
    fc.property(names, names, (one, other) => {
      const key = documentKey({ ...command, ...one });
      expect(key.length).toBeLessThan(1024);
      expect(key).toMatch(
        /^documents\/[A-Za-z0-9!][A-Za-z0-9!._-]*\/[A-Za-z0-9!][A-Za-z0-9!._-]*\/invoice\.pdf$/,
      );
      const isSame = one.storeClientId === other.storeClientId && one.orderId === other.orderId;
      expect(key === documentKey({ ...command, ...other })).toBe(isSame);
    }),
  );
});

test('long IDs with the same beginning have different keys', () => {
  const long = (end: string) => documentKey({ ...command, orderId: `${'ö'.repeat(199)}${end}` });
  expect(long('a')).not.toBe(long('b'));
  expect(long('a').length).toBeLessThan(1024);
});
