import { describe, expect, test } from 'vitest';
import type { BatchRecord, FinalSummary, RejectedRow } from '../../../../shared/batches/model.ts';
import { withFinalSummary, withResolution } from '../../../../shared/batches/rules/apply-fact.ts';
import { batchFrom } from '../../../../shared/batches/rules/batch-record.ts';
import { openRowsOf } from '../../../../shared/batches/rules/read-back.ts';
import { finalSummary, refusedForNow, rejected, resolution, submission } from '../batch-facts.ts';

const sent = [{ externalId: 'x-0' }, { externalId: 'x-1' }, { externalId: 'x-2' }];

/** The answer to a creation that an earlier try may have made already. */
const answered = (rejectedRows: RejectedRow[] = [refusedForNow(1)]) =>
  submission({ endsBy: 'answer', uncertain: true, rejectedRows });
const open = batchFrom('b-1', { submission: answered() });

const summaryOf = (rejectedRows: RejectedRow[], counts: Partial<FinalSummary['summary']> = {}) =>
  finalSummary({ summary: { total: 3, failed: rejectedRows.length, pending: 0, ...counts }, rejectedRows });

const rowsOf = (batch: BatchRecord | undefined) => openRowsOf(batch ?? expect.unreachable(), sent);

describe('a row that an answer refuses temporarily', () => {
  test('is unknown when an earlier try may have created it, and keeps the batch open', () => {
    expect(open).toMatchObject({
      state: 'submitted',
      rows: { sent: 3, accepted: 2, rejected: 0, unknown: 1 },
      rejectedRows: [],
      unconfirmedRows: 2,
    });
    expect(open).not.toHaveProperty('completedAt');
    expect(rowsOf(open)).toMatchObject([{ rowIndex: 1 }]);
  });

  test.each([
    ['there was no other try', { uncertain: false }, refusedForNow(1)],
    ['it is refused finally', {}, { ...refusedForNow(1), details: { retryable: false } }],
  ])('is rejected when %s', (_, facts, row) => {
    const batch = batchFrom('b-1', { submission: { ...answered([row]), ...facts } });
    expect(batch).toMatchObject({ state: 'completed_with_errors', rows: { accepted: 2, rejected: 1 } });
  });

  test.each<[string, string, RejectedRow[]]>([
    ['accepted when the final summary names every failure, and not this one', 'completed', []],
    ['accepted when the final summary says that it exists already', 'completed', [rejected(1, 'PRD_002')]],
    ['rejected when the final summary refuses it finally', 'completed_with_errors', [rejected(1)]],
    ['unknown when the final summary refuses it temporarily too', 'submitted', [refusedForNow(1)]],
  ])('is %s', (_, state, rejectedRows) => {
    expect(withFinalSummary('b-1', open, summaryOf(rejectedRows))?.state).toBe(state);
  });

  test.each([
    ['names fewer failures than it counts', { failed: 1 }],
    ['leaves a row pending', { pending: 1 }],
    ['counts fewer rows', { total: 2 }],
  ])('stays unknown when the final summary %s', (_, counts) => {
    const record = withFinalSummary('b-1', open, summaryOf([], counts));
    expect(record).toMatchObject({ state: 'submitted', rows: { accepted: 2, unknown: 1 } });
  });

  test('ends the batch only once it is settled', () => {
    expect(withFinalSummary('b-1', open, summaryOf([]))).toMatchObject({
      completedAt: summaryOf([]).receivedAt,
    });
    const closed = batchFrom('b-1', { submission: answered([]), finalSummary: summaryOf([]) });
    expect(closed.completedAt).toBe(answered().submittedAt);
  });

  test.each([
    ['exists', [], { state: 'completed', rows: { accepted: 3, rejected: 0, unknown: 0 } }],
    ['is missing', [rejected(1)], { state: 'completed_with_errors', rows: { accepted: 2, rejected: 1 } }],
  ])('is settled by a read-back that finds that it %s', (_, rejectedRows, expected) => {
    const found = resolution({ rejectedRows });
    expect(withResolution(open, found)).toMatchObject({
      ...expected,
      rejectedRows,
      completedAt: found.resolvedAt,
      unconfirmedRows: 2,
    });
  });

  test('leaves the batch unresolved when it can not be read back', () => {
    const found = resolution({ unknownRows: [{ rowIndex: 1 }] });
    expect(withResolution(open, found)).toMatchObject({
      state: 'unresolved',
      rows: { accepted: 2, rejected: 0, unknown: 1 },
      unknownRows: [{ rowIndex: 1 }],
      completedAt: found.resolvedAt,
    });
  });
});

describe('a row that a final summary refuses temporarily', () => {
  const uncertain = batchFrom('b-1', { submission: submission({ uncertain: true }) });

  test('is the only row that stays unknown', () => {
    const record = withFinalSummary('b-1', uncertain, summaryOf([rejected(0), refusedForNow(2)]));
    expect(record).toMatchObject({
      state: 'submitted',
      rows: { sent: 3, accepted: 1, rejected: 1, unknown: 1 },
      rejectedRows: [rejected(0)],
    });
    expect(rowsOf(record)).toMatchObject([{ rowIndex: 2 }]);
  });

  test('is read back with all others when these are unknown as well', () => {
    const record = withFinalSummary('b-1', uncertain, summaryOf([refusedForNow(2)], { pending: 1 }));
    expect(record?.rows).toMatchObject({ accepted: 0, unknown: 3 });
    expect(rowsOf(record)).toHaveLength(3);
  });

  test('is kept over an earlier or later summary that had not settled it', () => {
    const early = summaryOf([], { pending: 1 });
    const whole = summaryOf([refusedForNow(2)]);
    const record = withFinalSummary('b-1', withFinalSummary('b-1', uncertain, early), whole);
    expect(record?.finalSummary).toEqual(whole);
    expect(withFinalSummary('b-1', withFinalSummary('b-1', uncertain, whole), early)).toBeUndefined();
  });

  test('is reported again only if the summary leaves other rows unknown than were reported', () => {
    const found = resolution({ unknownRows: [{ rowIndex: 0 }, { rowIndex: 1 }, { rowIndex: 2 }] });
    const unresolved = withResolution(uncertain, found);
    const reported = unresolved && {
      ...unresolved,
      announced: ['batch.submitted', 'batch.unresolved'] as const,
    };
    const late = (...rows: number[]) =>
      withFinalSummary(
        'b-1',
        reported && { ...reported, announced: [...reported.announced] },
        summaryOf(rows.map(refusedForNow)),
      );
    expect(late(1, 2)).toMatchObject({ rows: { unknown: 2 }, announced: ['batch.submitted'] });
    expect(late(0, 1, 2)).toMatchObject({
      rows: { unknown: 3 },
      announced: ['batch.submitted', 'batch.unresolved'],
    });
  });

  test('keeps the outcome of an earlier partial read-back, and stays unknown only without one', () => {
    const found = resolution({
      rejectedRows: [rejected(1, 'NOT_FOUND')],
      unknownRows: [{ rowIndex: 0 }, { rowIndex: 2 }],
    });
    const unresolved = withResolution(uncertain, found);
    const late = summaryOf([refusedForNow(1), refusedForNow(2)]);
    expect(withFinalSummary('b-1', unresolved, late)).toMatchObject({
      state: 'unresolved',
      rows: { sent: 3, accepted: 1, rejected: 1, unknown: 1 },
      rejectedRows: [rejected(1, 'NOT_FOUND')],
      unknownRows: [{ rowIndex: 2 }],
      completedAt: found.resolvedAt,
    });
    const seen = { ...found, unknownRows: [{ rowIndex: 0 }] };
    expect(withFinalSummary('b-1', withResolution(uncertain, seen), late)).toMatchObject({
      state: 'completed_with_errors',
      rows: { accepted: 2, rejected: 1, unknown: 0 },
    });
  });
});
