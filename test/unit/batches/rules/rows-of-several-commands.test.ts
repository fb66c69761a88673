import { describe, expect, test } from 'vitest';
import {
  withFinalSummary,
  withResolution,
  withSubmission,
} from '../../../../shared/batches/rules/apply-fact.ts';
import { batchFrom } from '../../../../shared/batches/rules/batch-record.ts';
import { finalSummary, rejected, resolution, submission } from '../batch-facts.ts';

const origins = [
  { commandId: 'c-1', productIndex: 0 },
  { commandId: 'c-2', productIndex: 0 },
  { commandId: 'c-2', productIndex: 3 },
];
const names = [{ externalId: 'x-a', sku: 'A' }, { externalId: 'x-b', sku: 'B' }, { externalId: 'x-c' }];
const { commandId: _, ...facts } = submission();
const shared = { ...facts, origins, names };
const [first, , last] = origins;

describe('a batch with rows of several commands', () => {
  test('names each command once', () => {
    expect(batchFrom('b-1', { submission: shared })).toMatchObject({ commandIds: ['c-1', 'c-2'] });
    expect(batchFrom('b-1', { submission: submission() })).not.toHaveProperty('commandIds');
  });

  test.each<[string, object]>([
    ['position', { rowIndex: 2 }],
    ['externalId', { externalId: 'x-c' }],
  ])('names the product of a row in its final summary by its %s', (_name, name) => {
    const row = { code: 'VAL_001', message: 'no', ...name };
    const summary = finalSummary({ summary: { total: 3, failed: 1, pending: 0 }, rejectedRows: [row] });
    const expected = [{ ...row, rowIndex: 2, externalId: 'x-c', command: last }];
    const afterwards = withFinalSummary('b-1', withSubmission(undefined, shared), summary);
    expect(afterwards?.rejectedRows).toEqual(expected);
    const before = withSubmission(withFinalSummary('b-1', undefined, summary), shared);
    expect(before?.rejectedRows).toEqual(expected);
  });

  test('names the products that a read-back found missing or left unknown', () => {
    const found = resolution({ rejectedRows: [rejected(0, 'X')], unknownRows: [{ rowIndex: 2 }] });
    expect(withResolution(withSubmission(undefined, shared), found)).toMatchObject({
      state: 'unresolved',
      rejectedRows: [{ rowIndex: 0, command: first }],
      unknownRows: [{ rowIndex: 2, command: last }],
    });
  });
});
