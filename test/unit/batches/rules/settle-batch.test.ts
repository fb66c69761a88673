import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BatchRecord, FinalSummary, Resolution, Submission } from '../../../../shared/batches/model.ts';
import { batchFrom } from '../../../../shared/batches/rules/batch-record.ts';
import {
  withFinalSummary,
  withResolution,
  withSubmission,
} from '../../../../shared/batches/rules/take-fact.ts';
import { finalSummary, refusedForNow, rejected, resolution, submission } from '../batch-facts.ts';

const rowIndexes = (sent: number) =>
  fc.uniqueArray(fc.nat({ max: Math.max(0, sent - 1) }), { maxLength: sent });

const refused = (sent: number) =>
  rowIndexes(sent).chain((rows) =>
    fc.tuple(
      ...rows.map((row) => fc.constantFrom(rejected(row), rejected(row, 'PRD_002'), refusedForNow(row))),
    ),
  );

const facts = fc.nat({ max: 6 }).chain((sent) =>
  fc.record({
    submission: fc.record({
      sentRows: fc.constant(sent),
      endsBy: fc.constantFrom('answer', 'summary'),
      uncertain: fc.boolean(),
      rejectedRows: refused(sent),
    }),
    summary: fc.record({
      summary: fc.record({
        total: fc.nat({ max: 8 }),
        failed: fc.nat({ max: 8 }),
        pending: fc.nat({ max: 8 }),
      }),
      rejectedRows: refused(sent),
    }),
    resolution: fc.record({
      rejectedRows: rowIndexes(sent).map((rows) => rows.map((row) => rejected(row, 'NOT_FOUND'))),
      unknownRows: rowIndexes(sent).map((rows) => rows.map((rowIndex) => ({ rowIndex }))),
    }),
  }),
);

type Fact =
  | { readonly submission: Submission }
  | { readonly finalSummary: FinalSummary }
  | { readonly resolution: Resolution };

function take(current: BatchRecord | undefined, fact: Fact): BatchRecord | undefined {
  if ('submission' in fact) return withSubmission(current, fact.submission) ?? current;
  if ('finalSummary' in fact) return withFinalSummary('b-1', current, fact.finalSummary) ?? current;
  return withResolution(current, fact.resolution) ?? current;
}

function sumOf({ accepted, rejected: failed, unknown }: BatchRecord['rows']) {
  return accepted + failed + unknown;
}

describe('the laws of a batch', () => {
  test('submission and final summary give one record in any order, however often each comes', () => {
    const order = fc.array(fc.constantFrom('submission', 'finalSummary'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(facts, order, (generated, arrivals) => {
        const known = {
          submission: submission(generated.submission),
          finalSummary: finalSummary(generated.summary),
        };
        const all: Fact[] = [
          ...arrivals.map((name) =>
            name === 'submission' ? { submission: known.submission } : { finalSummary: known.finalSummary },
          ),
          { submission: known.submission },
          { finalSummary: known.finalSummary },
        ];
        const record = all.reduce<BatchRecord | undefined>(take, undefined);
        expect(record).toEqual(batchFrom('b-1', known));
      }),
    );
  });

  test('rows sent are the accepted, the rejected and the unknown ones at all times', () => {
    fc.assert(
      fc.property(
        facts,
        fc.shuffledSubarray(['submission', 'summary', 'resolution'] as const),
        (generated, order) => {
          let record: BatchRecord | undefined;
          for (const name of order) {
            if (name === 'submission')
              record = take(record, { submission: submission(generated.submission) });
            if (name === 'summary') record = take(record, { finalSummary: finalSummary(generated.summary) });
            if (name === 'resolution')
              record = take(record, { resolution: resolution(generated.resolution) });
            if (record === undefined) continue;
            expect(sumOf(record.rows)).toBe(record.rows.sent);
            expect(Math.min(...Object.values(record.rows))).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });

  test('a completed or failed batch never changes its state again', () => {
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        const ended = batchFrom('b-1', {
          submission: submission(one.submission),
          finalSummary: finalSummary(one.summary),
        });
        fc.pre(ended.state !== 'submitted');
        const later: Fact[] = [
          { finalSummary: finalSummary(other.summary) },
          { resolution: resolution(other.resolution) },
          { submission: submission(other.submission) },
        ];
        const record = later.reduce<BatchRecord | undefined>(take, ended);
        expect(record).toMatchObject({
          state: ended.state,
          rows: ended.rows,
          rejectedRows: ended.rejectedRows,
        });
      }),
    );
  });

  test('a batch that its answer ended is never open again', () => {
    fc.assert(
      fc.property(facts, ({ submission: made, summary }) => {
        const ended = batchFrom('b-1', { submission: submission(made) });
        fc.pre(ended.state !== 'submitted');
        const record = take(ended, { finalSummary: finalSummary(summary) });
        expect(record?.rows.unknown).toBe(0);
        expect(record).toHaveProperty('completedAt', ended.completedAt);
      }),
    );
  });
});

describe('a batch', () => {
  test('is open until its final summary comes', () => {
    expect(batchFrom('b-1', { submission: submission() })).toMatchObject({
      state: 'submitted',
      rows: { sent: 3, accepted: 0, rejected: 0, unknown: 3 },
    });
  });

  test('ends with its answer where no summary follows, its accepted rows unconfirmed', () => {
    const record = batchFrom('b-1', {
      submission: submission({ endsBy: 'answer', rejectedRows: [rejected(1)] }),
    });
    expect(record).toMatchObject({
      state: 'completed_with_errors',
      rows: { accepted: 2, rejected: 1 },
      unconfirmedRows: 2,
      completedAt: '2026-11-21T08:00:00.000Z',
    });
  });

  test.each([
    ['completed', []],
    ['completed_with_errors', [rejected(0)]],
    ['failed', [rejected(0), rejected(1), rejected(2)]],
  ])('is %s by what its final summary rejects', (state, rejectedRows) => {
    const summary = { total: 3, failed: rejectedRows.length, pending: 0 };
    const known = { submission: submission(), finalSummary: finalSummary({ summary, rejectedRows }) };
    expect(batchFrom('b-1', known).state).toBe(state);
  });

  test('counts failed rows that the summary does not list', () => {
    const known = {
      submission: submission(),
      finalSummary: finalSummary({ summary: { total: 3, failed: 2, pending: 0 } }),
    };
    expect(batchFrom('b-1', known).rows).toEqual({ sent: 3, accepted: 1, rejected: 2, unknown: 0 });
  });

  test('has the later word on a row that answer and summary both reject', () => {
    const known = {
      submission: submission({ rejectedRows: [rejected(1, 'FIRST')] }),
      finalSummary: finalSummary({
        summary: { total: 3, failed: 1, pending: 0 },
        rejectedRows: [rejected(1, 'SECOND')],
      }),
    };
    expect(batchFrom('b-1', known).rejectedRows).toEqual([rejected(1, 'SECOND')]);
  });

  test('counts what an earlier try of unknown outcome made as accepted', () => {
    const known = {
      submission: submission({ uncertain: true }),
      finalSummary: finalSummary({
        summary: { total: 3, failed: 1, pending: 0 },
        rejectedRows: [rejected(0, 'PRD_002')],
      }),
    };
    expect(batchFrom('b-1', known)).toMatchObject({ state: 'completed', rejectedRows: [] });
  });

  test('that was read back whole keeps that outcome when a summary says otherwise', () => {
    const readBack = batchFrom('b-1', { submission: submission(), resolution: resolution() });
    const late = finalSummary({ summary: { total: 3, failed: 3, pending: 0 } });
    expect(readBack.state).toBe('completed');
    expect(withFinalSummary('b-1', readBack, late)).toMatchObject({ state: 'completed', finalSummary: late });
  });

  test('that could not be read back is unresolved, with the rows in question', () => {
    const known = {
      submission: submission(),
      resolution: resolution({ unknownRows: [{ rowIndex: 2, sku: 'C' }] }),
    };
    expect(batchFrom('b-1', known)).toMatchObject({
      state: 'unresolved',
      rows: { accepted: 2, unknown: 1 },
      unknownRows: [{ rowIndex: 2, sku: 'C' }],
    });
  });

  test('that is unresolved ends by a final summary all the same', () => {
    const unresolved = batchFrom('b-1', {
      submission: submission(),
      resolution: resolution({ unknownRows: [{ rowIndex: 2 }] }),
    });
    const record = withFinalSummary('b-1', unresolved, finalSummary());
    expect(record).toMatchObject({ state: 'completed', rows: { accepted: 3, unknown: 0 } });
    expect(record).not.toHaveProperty('unknownRows');
  });

  test('can not be made of nothing', () => {
    expect(() => batchFrom('b-1', {})).toThrow(RangeError);
  });
});

describe('a final summary that leaves rows untold', () => {
  const partial = (pending: number) => finalSummary({ summary: { total: 3, failed: 0, pending } });
  const recordOf = (...summaries: FinalSummary[]) =>
    summaries.reduce<BatchRecord | undefined>(
      (current, summary) => take(current, { finalSummary: summary }),
      batchFrom('b-1', { submission: submission() }),
    );

  test('keeps the batch open', () => {
    expect(recordOf(partial(2))).toMatchObject({ state: 'submitted', rows: { accepted: 1, unknown: 2 } });
    const short = finalSummary({ summary: { total: 2, failed: 0, pending: 0 } });
    expect(recordOf(short)).toMatchObject({ state: 'submitted', rows: { accepted: 2, unknown: 1 } });
  });

  test('gives way to one that tells more, in any order', () => {
    const told = { state: 'completed', rows: { accepted: 3, unknown: 0 } };
    expect(recordOf(partial(2), partial(1), finalSummary())).toMatchObject(told);
    expect(recordOf(finalSummary(), partial(2))).toMatchObject(told);
    expect(recordOf(partial(1), partial(2))?.rows).toEqual(recordOf(partial(2), partial(1))?.rows);
  });

  test('tells nothing of a batch that was read back in part, if it knows less', () => {
    const found = resolution({ rejectedRows: [rejected(0)], unknownRows: [{ rowIndex: 2 }] });
    const untold = finalSummary({ summary: { total: 3, failed: 0, pending: 2 } });
    const record = batchFrom('b-1', { submission: submission(), resolution: found, finalSummary: untold });
    expect(record).toMatchObject({
      state: 'unresolved',
      rows: { sent: 3, accepted: 1, rejected: 1, unknown: 1 },
      unknownRows: [{ rowIndex: 2 }],
    });
  });

  test('is completed by reading back', () => {
    const open = recordOf(partial(1));
    expect(withResolution(open, resolution({ rejectedRows: [rejected(2)] }))).toMatchObject({
      state: 'completed_with_errors',
      rows: { accepted: 2, rejected: 1, unknown: 0 },
    });
  });
});

describe('a final summary that contradicts the one that counts', () => {
  const first = batchFrom('b-1', { submission: submission(), finalSummary: finalSummary() });
  const other = (failed: number) =>
    finalSummary({ summary: { total: 3, failed, pending: 0 }, archiveKey: `webhooks/${failed}.json` });

  test('is kept beside it, once', () => {
    const record = withFinalSummary('b-1', first, other(2));
    const { rejectedRows: _, ...kept } = other(2);
    expect(record?.contradictions).toEqual([kept]);
    expect(withFinalSummary('b-1', record, other(2))).toBeUndefined();
  });

  test('is not kept without end', () => {
    const many = Array.from({ length: 20 }, (_, index) => other(index + 1));
    const record = many.reduce<BatchRecord | undefined>(
      (current, summary) => withFinalSummary('b-1', current, summary) ?? current,
      first,
    );
    expect(record?.contradictions).toHaveLength(5);
  });
});

test('only an open batch can be read back', () => {
  expect(withResolution(undefined, resolution())).toBeUndefined();
  const ended = batchFrom('b-1', { submission: submission(), finalSummary: finalSummary() });
  expect(withResolution(ended, resolution())).toBeUndefined();
});
