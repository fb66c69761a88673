import { expect, test } from 'vitest';
import { changedBy, hintOf } from '../../../cli/clients/api-hint.ts';
import type { ApiFailure } from '../../../cli/errors.ts';

const failure = (facts: Partial<ApiFailure>): ApiFailure => ({
  method: 'POST',
  status: 409,
  code: 'C',
  ...facts,
});

test.each<[string, Partial<ApiFailure>, string | undefined]>([
  ['a read that is refused', { method: 'GET', status: 404 }, undefined],
  ['a write that is refused', {}, 'Nothing was changed.'],
  [
    'an order in a wrong state',
    { details: { marketplace: { outcome: 'refused', context: { allowedSubstatuses: ['packed', 'sent'] } } } },
    'The order must be in one of these states: packed, sent. Nothing was changed.',
  ],
  [
    'a file with unknown columns',
    { details: { columns: ['sku', 'stock'] } },
    'The columns are sku, stock. Nothing was changed.',
  ],
  [
    'fields that the marketplace refuses',
    {
      status: 400,
      details: { marketplace: { context: { validationErrors: { 'area.postalCode': 'is short' } } } },
    },
    'area.postalCode: is short. Nothing was changed.',
  ],
  [
    'several rows',
    { status: 422, details: { errors: [0, 1].map((rowIndex) => ({ rowIndex, code: 'X', message: 'no' })) } },
    'row 0: X: no; row 1: X: no. Nothing was changed.',
  ],
  ['another request in flight', { code: 'DOCUMENT_BUSY' }, 'Nothing was changed. Try again in two minutes.'],
  [
    'a marketplace that is down, by its time',
    { status: 503, retryAfter: 7, details: { marketplace: { outcome: 'refused' } } },
    'Nothing was changed. Try again in 7 s.',
  ],
  [
    'an outcome that no one knows',
    { status: 504, requestId: 'r-1', details: { marketplace: { outcome: 'unknown' } } },
    'It may have taken effect: trace r-1 tells.',
  ],
  ['details of another form', { details: 'none' }, 'Nothing was changed.'],
])(
  'the hint of %s says what is allowed, whether anything was changed, and when to try again',
  (_, facts, hint) => {
    expect(hintOf(failure(facts))).toBe(hint);
  },
);

test('a failure of the stack itself may have had an effect, a refusal of the marketplace had none', () => {
  expect(changedBy(failure({ status: 500 }))).toBe('unknown');
  expect(changedBy(failure({ status: 502, details: { marketplace: { outcome: 'refused' } } }))).toBe(
    'nothing',
  );
});
