import { describe, expect, test } from 'vitest';
import { MarketplaceError } from '../../../../shared/marketplace/errors.ts';
import { halvesOf, meaningOf, namesFault } from '../../../../shared/marketplace/failures.ts';

const failed = (code: string, options: Partial<ConstructorParameters<typeof MarketplaceError>[0]> = {}) =>
  new MarketplaceError({ code, message: 'no', outcome: 'refused', retryable: false, ...options });

describe('meaningOf', () => {
  test.each(['VAL_001', 'INV_001', 'INV_003', 'PRD_016', 'PRD_099', 'WAREHOUSE_001', 'ORDER_026', 'BAD_ROW'])(
    'blames one of the rows for a whole request refused with %s',
    (code) => {
      expect(meaningOf(failed(code))).toBe('rows');
    },
  );

  test.each(['HTTP_400', 'HTTP_413', 'HTTP_422'])(
    'blames one of the rows for %s, without a code in the body',
    (code) => {
      expect(meaningOf(failed(code))).toBe('rows');
    },
  );

  test('blames one of the rows for a request that breaks a rule of the spec and was not sent', () => {
    expect(meaningOf(failed('REQUEST_INVALID', { outcome: 'not-sent' }))).toBe('rows');
  });

  test.each(['HTTP_404', 'HTTP_405', 'NOT_FOUND', 'STORE_020', 'SYS_X', 'AUTH_003', 'REDIRECTED', 'ABORTED'])(
    'blames no row for %s',
    (code) => {
      expect(meaningOf(failed(code))).toBe('refused');
    },
  );

  test.each([
    ['RATE_LIMITED', { status: 429, retryable: true }],
    ['INV_003', { retryable: true }],
    ['LIMIT_REACHED', { outcome: 'not-sent', retryable: true }],
    ['CONNECT_FAILED', { outcome: 'not-sent', retryable: true }],
  ] as const)('makes the rows wait after %s, which may succeed later', (code, options) => {
    expect(meaningOf(failed(code, options))).toBe('not-now');
  });

  test('distinguishes refused credentials of the store from those of the partner', () => {
    const meanings = ['AUTH_014', 'AUTH_010', 'AUTH_011'].map((code) => meaningOf(failed(code)));
    expect(meanings).toEqual(['store-refused', 'partner-refused', 'partner-refused']);
  });

  test('never reads an unknown outcome as a refusal, whatever its code', () => {
    expect(meaningOf(failed('INV_003', { outcome: 'unknown' }))).toBe('unknown');
  });
});

test('a single row in a refused request is surely at fault when the refusal has a code', () => {
  expect(['INV_003', 'HTTP_413', 'HTTP_400'].map((code) => namesFault(failed(code)))).toEqual([
    true,
    true,
    false,
  ]);
});

test.each([0, 1, 2, 3, 100, 101])('%d rows are split into two halves in order', (count) => {
  const rows = Array.from({ length: count }, (_, row) => row);
  const [first, second] = halvesOf(rows);
  expect([...first, ...second]).toEqual(rows);
  expect(first.length - second.length).toBeOneOf([0, 1]);
});
