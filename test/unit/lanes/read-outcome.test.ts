import { expect, test } from 'vitest';
import { rejectionOfRow, sentRowOutcomeOf } from '../../../shared/lanes/rules/read-outcome.ts';
import { emptyListing } from '../../../shared/listings/model.ts';
import { fieldsOfTarget } from '../../../shared/listings/rules/target.ts';
import { rowOutcomes } from '../../../shared/marketplace/row-outcomes.ts';
import { failure } from '../support/failure.ts';

const names = ['id:p', 'sku:S', 'sku:T'].map(fieldsOfTarget);
const times = { now: 0, unknownUntil: 30_000, random: () => 0 };
const outcomesFor = (error: object) => {
  const errors = [{ code: 'INV_002', message: 'no', ...error }];
  const reported = rowOutcomes(names, { summary: {}, acceptedRows: [], errors });
  return reported.map((row) => sentRowOutcomeOf(row, { failures: 0 }, times));
};

test('an error without a rowIndex rejects the row whose target is among its names', () => {
  expect(outcomesFor({ sku: 'of P', id: 'P' })).toEqual([
    { outcome: 'rejected', code: 'INV_002' },
    { outcome: 'accepted' },
    { outcome: 'accepted' },
  ]);
});

test('rows that an answer does not settle are sent again once the request can no longer land', () => {
  const unknown = { outcome: 'unknown', notBefore: 30_000, backoffUntil: 30_000 };
  expect(outcomesFor({ sku: 'U' })).toEqual([unknown, unknown, unknown]);
});

test('a row that an upstream answered too late is unknown: its old value may still land, and no newer one goes before', () => {
  const late = { code: 'SYS_UPS_001', rowIndex: 0 };
  const unknown = { outcome: 'unknown', notBefore: 30_000, backoffUntil: 30_000 };
  expect(outcomesFor(late)[0]).toEqual(unknown);
  expect(outcomesFor({ ...late, details: { retryable: false } })[0]).toMatchObject({ outcome: 'rejected' });
});

test('a row that no answer settles is sent more and more rarely', () => {
  const pauses = [0, 3, 20].map((failures) => {
    const outcome = sentRowOutcomeOf({ outcome: 'unknown' }, { failures }, { ...times, random: () => 0.5 });
    return outcome.outcome === 'unknown' && (outcome.backoffUntil ?? 0) - outcome.notBefore;
  });
  expect(pauses).toEqual([500, 4_000, 150_000]);
});

test('an error that names a variant and its product is applied to the variant', () => {
  expect(outcomesFor({ id: 'p', sku: 'S' }).map(({ outcome }) => outcome)).toEqual([
    'accepted',
    'rejected',
    'accepted',
  ]);
});

test('the rejection of a row that was refused alone has the ID of the answer, its hint and its context', () => {
  const said = { requestId: 'r-1', hint: 'use a whole number', context: { reason: 'STOCK' } };
  const row = { listing: emptyListing({ storeClientId: 's-1', target: 'sku:A' }), registers: {} };
  const { details } = rejectionOfRow(row, failure('VAL_001', said), 0);
  expect(details).toEqual({ requestId: 'r-1', hint: 'use a whole number', reason: 'STOCK' });
});
