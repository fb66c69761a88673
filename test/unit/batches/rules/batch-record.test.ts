import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type {
  BatchRecord,
  FinalSummary,
  RejectedRow,
  Resolution,
  Submission,
} from '../../../../shared/batches/model.ts';
import {
  withFinalSummary,
  withResolution,
  withSubmission,
} from '../../../../shared/batches/rules/apply-fact.ts';
import { batchFrom, withUnknownRows } from '../../../../shared/batches/rules/batch-record.ts';
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
      acceptedRows: rowIndexes(sent).map((rows) => rows.map((rowIndex) => ({ rowIndex }))),
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

describe('every batch', () => {
  test('has the same record for any order and repetition of submission and final summaries', () => {
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
        const inOrder = take(take(undefined, { submission: known.submission }), {
          finalSummary: known.finalSummary,
        });
        expect(record).toEqual(inOrder);
      }),
    );
  });

  test('sends as many rows as it has accepted, rejected and unknown ones, at all times', () => {
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

  test('never changes its state once completed or failed', () => {
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

  test('is never open again once its answer has ended it', () => {
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
  test('is open until its final summary arrives', () => {
    expect(batchFrom('b-1', { submission: submission() })).toMatchObject({
      state: 'submitted',
      rows: { sent: 3, accepted: 0, rejected: 0, unknown: 3 },
    });
  });

  test('ends with its answer when no summary follows, with its accepted rows unconfirmed', () => {
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

  test('that ended with its answer keeps its rows unconfirmed while summaries call them pending', () => {
    const ended = batchFrom('b-1', { submission: submission({ endsBy: 'answer' }) });
    const withCounts = (batch: typeof ended, pending: number, acceptedRows?: { rowIndex: number }[]) => {
      const facts = { summary: { total: 3, failed: 0, pending }, ...(acceptedRows && { acceptedRows }) };
      return withFinalSummary('b-1', batch, finalSummary(facts)) ?? batch;
    };
    const pending = withCounts(ended, 3);
    expect(pending).toMatchObject({ state: 'completed', unconfirmedRows: 3 });
    const partly = withCounts(pending, 2, [{ rowIndex: 0 }]);
    expect(partly).toMatchObject({ state: 'completed', unconfirmedRows: 2 });
    expect(withCounts(partly, 3)).toBe(partly);
    expect(withCounts(partly, 0)).toMatchObject({ state: 'completed', unconfirmedRows: 0 });
  });

  test.each([
    ['completed', []],
    ['completed_with_errors', [rejected(0)]],
    ['failed', [rejected(0), rejected(1), rejected(2)]],
  ])('is %s according to the rejected rows of its final summary', (state, rejectedRows) => {
    const summary = { total: 3, failed: rejectedRows.length, pending: 0 };
    const known = { submission: submission(), finalSummary: finalSummary({ summary, rejectedRows }) };
    expect(batchFrom('b-1', known).state).toBe(state);
  });

  test('stays open when its final summary counts failures and names none of them', () => {
    const counted = finalSummary({ summary: { total: 3, failed: 2, pending: 0 } });
    const open = batchFrom('b-1', { submission: submission(), finalSummary: counted });
    expect(open).toMatchObject({ state: 'submitted', rows: { accepted: 0, rejected: 0, unknown: 3 } });
    const named = { ...counted, acceptedRows: [{ rowIndex: 1 }] };
    expect(batchFrom('b-1', { submission: submission(), finalSummary: named }).rows).toMatchObject({
      accepted: 1,
      unknown: 2,
    });
  });

  test('stays open when its final summary leaves out rejected rows and counts another failure without its row', () => {
    const made = submission({ rejectedRows: [rejected(0)] });
    const summary = { total: 2, failed: 1, pending: 0 };
    const record = batchFrom('b-1', { submission: made, finalSummary: finalSummary({ summary }) });
    expect(record).toMatchObject({ state: 'submitted', rows: { accepted: 0, rejected: 1, unknown: 2 } });
    const named = finalSummary({ summary, rejectedRows: [rejected(2)] });
    expect(batchFrom('b-1', { submission: made, finalSummary: named })).toMatchObject({
      state: 'completed_with_errors',
      rows: { accepted: 1, rejected: 2 },
    });
    const none = finalSummary({ summary: { ...summary, failed: 0 } });
    expect(batchFrom('b-1', { submission: made, finalSummary: none }).rows).toMatchObject({ accepted: 2 });
  });

  test('counts one failure when answer and summary name the same row, by number and by name', () => {
    const names = [{ externalId: 'X-A' }, { externalId: 'x-b' }, { sku: 'C' }];
    const made = submission({ names, rejectedRows: [rejected(0, 'FIRST')] });
    const word = { code: 'SECOND', message: 'no', externalId: 'x-a' };
    const summary = { total: 3, failed: 1, pending: 0 };
    const record = batchFrom('b-1', {
      submission: made,
      finalSummary: finalSummary({ summary, rejectedRows: [word] }),
    });
    expect(record).toMatchObject({ state: 'completed_with_errors', rows: { accepted: 2, rejected: 1 } });
    expect(record.rejectedRows).toEqual([{ ...word, rowIndex: 0 }]);
  });

  test('is open, and names the open rows, when its answer does not settle all rows', () => {
    const names = [{ sku: 'A' }, { sku: 'B' }, { sku: 'C' }];
    const record = batchFrom('b-1', {
      submission: submission({ endsBy: 'answer', names, unknownRows: [0, 2] }),
    });
    expect(record).toMatchObject({
      state: 'submitted',
      rows: { accepted: 1, unknown: 2 },
      unconfirmedRows: 1,
    });
    expect(withUnknownRows(record).unknownRows).toEqual([
      { rowIndex: 0, sku: 'A' },
      { rowIndex: 2, sku: 'C' },
    ]);
    expect(withFinalSummary('b-1', record, finalSummary())).toMatchObject({ state: 'completed' });
  });

  test('accepts a row that its answer rejected and its final summary names as accepted', () => {
    const made = submission({ rejectedRows: [rejected(0), rejected(1)] });
    const summary = { total: 3, failed: 1, pending: 0 };
    const overrides = finalSummary({ summary, acceptedRows: [{ rowIndex: 0 }], rejectedRows: [rejected(1)] });
    expect(batchFrom('b-1', { submission: made, finalSummary: overrides })).toMatchObject({
      state: 'completed_with_errors',
      rows: { accepted: 2, rejected: 1, unknown: 0 },
      rejectedRows: [{ rowIndex: 1 }],
    });
    // Its rows may be numbered without those that the answer rejected.
    const leavesOut = finalSummary({
      summary: { total: 1, failed: 0, pending: 0 },
      acceptedRows: [{ rowIndex: 0 }],
    });
    expect(batchFrom('b-1', { submission: made, finalSummary: leavesOut })).toMatchObject({
      rows: { accepted: 1, rejected: 2, unknown: 0 },
    });
  });

  test('keeps the later reason for a row that answer and summary both reject', () => {
    const known = {
      submission: submission({ rejectedRows: [rejected(1, 'FIRST')] }),
      finalSummary: finalSummary({
        summary: { total: 3, failed: 1, pending: 0 },
        rejectedRows: [rejected(1, 'SECOND')],
      }),
    };
    expect(batchFrom('b-1', known).rejectedRows).toEqual([rejected(1, 'SECOND')]);
  });

  test('counts rows as accepted that an earlier try of unknown outcome created', () => {
    const known = {
      submission: submission({ uncertain: true }),
      finalSummary: finalSummary({
        summary: { total: 3, failed: 1, pending: 0 },
        rejectedRows: [rejected(0, 'PRD_002')],
      }),
    };
    expect(batchFrom('b-1', known)).toMatchObject({ state: 'completed', rejectedRows: [] });
  });

  test('is unresolved, with the open rows, when it can not be read back', () => {
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

  test('ends by a final summary also when it was unresolved', () => {
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

describe('a final summary that does not settle all rows', () => {
  const partial = (pending: number) => finalSummary({ summary: { total: 3, failed: 0, pending } });
  const recordOf = (...summaries: FinalSummary[]) =>
    summaries.reduce<BatchRecord | undefined>(
      (current, summary) => take(current, { finalSummary: summary }),
      batchFrom('b-1', { submission: submission() }),
    );

  test('keeps the batch open', () => {
    expect(recordOf(partial(2))).toMatchObject({ state: 'submitted', rows: { accepted: 0, unknown: 3 } });
    const named = { ...partial(2), acceptedRows: [{ rowIndex: 0 }] };
    expect(recordOf(named)).toMatchObject({ state: 'submitted', rows: { accepted: 1, unknown: 2 } });
    const onlyPending = finalSummary({ summary: { total: 2, failed: 0, pending: 2 } });
    expect(recordOf(onlyPending)).toMatchObject({ state: 'submitted', rows: { accepted: 0, unknown: 3 } });
    const short = finalSummary({ summary: { total: 2, failed: 0, pending: 0 } });
    expect(recordOf(short)).toMatchObject({ state: 'submitted', rows: { accepted: 0, unknown: 3 } });
  });

  test('is replaced by one that settles more, in any order', () => {
    const settled = { state: 'completed', rows: { accepted: 3, unknown: 0 } };
    expect(recordOf(partial(2), partial(1), finalSummary())).toMatchObject(settled);
    expect(recordOf(finalSummary(), partial(2))).toMatchObject(settled);
    expect(recordOf(partial(1), partial(2))?.rows).toEqual(recordOf(partial(2), partial(1))?.rows);
  });

  test('changes nothing in a batch that was partly read back when it knows less', () => {
    const found = resolution({ rejectedRows: [rejected(0)], unknownRows: [{ rowIndex: 2 }] });
    const partly = finalSummary({ summary: { total: 3, failed: 0, pending: 2 } });
    const record = batchFrom('b-1', { submission: submission(), resolution: found, finalSummary: partly });
    expect(record).toMatchObject({
      state: 'unresolved',
      rows: { sent: 3, accepted: 1, rejected: 1, unknown: 1 },
      unknownRows: [{ rowIndex: 2 }],
    });
  });

  test('is completed by a read-back', () => {
    const open = recordOf(partial(1));
    expect(withResolution(open, resolution({ rejectedRows: [rejected(2)] }))).toMatchObject({
      state: 'completed_with_errors',
      rows: { accepted: 2, rejected: 1, unknown: 0 },
    });
  });
});

describe('a final summary that contradicts the end of its batch', () => {
  const summaryOf = (rejectedRows: RejectedRow[], failed = rejectedRows.length) =>
    finalSummary({ summary: { total: 3, failed, pending: 0 }, rejectedRows, archiveKey: 'webhooks/2.json' });
  const readBack = resolution({ rejectedRows: [rejected(0)] });

  test.each<[string, Parameters<typeof batchFrom>[1]]>([
    ['its answer', { submission: submission({ endsBy: 'answer', rejectedRows: [rejected(0)] }) }],
    ['another summary', { submission: submission(), finalSummary: summaryOf([rejected(0)]) }],
    ['a read-back', { submission: submission(), resolution: readBack }],
  ])('does not change a batch that ended by %s, and is stored with it once', (_, facts) => {
    const ended = batchFrom('b-1', facts);
    for (const other of [summaryOf([rejected(1)]), summaryOf([rejected(0), rejected(1)]), summaryOf([], 2)]) {
      const record = withFinalSummary('b-1', ended, other);
      expect(record).toEqual({ ...ended, contradictions: [expect.objectContaining({ isReported: false })] });
      expect(record?.contradictions).toMatchObject([
        { summary: other.summary, rejectedRows: other.rejectedRows, archiveKey: 'webhooks/2.json' },
      ]);
      expect(withFinalSummary('b-1', record, other)).toBeUndefined();
    }
  });

  test.each([
    ['says the same', summaryOf([rejected(0)]), 0],
    ['gives another reason', summaryOf([rejected(0, 'OTHER')]), 0],
    ['leaves rows pending', finalSummary({ summary: { total: 3, failed: 0, pending: 3 } }), 2],
    ['counts the failure without its row', summaryOf([], 1), 0],
  ])('is not recorded as a contradiction when it %s', (_, other, unconfirmedRows) => {
    const ended = batchFrom('b-1', {
      submission: submission({ endsBy: 'answer', rejectedRows: [rejected(0)] }),
    });
    expect(withFinalSummary('b-1', ended, other)).toEqual({
      ...ended,
      finalSummary: other,
      unconfirmedRows,
    });
    const settled = batchFrom('b-1', { submission: submission(), finalSummary: summaryOf([rejected(0)]) });
    expect(withFinalSummary('b-1', settled, other)).toBeUndefined();
  });

  test('is recorded when it names a row as accepted that the answer rejected', () => {
    const ended = batchFrom('b-1', {
      submission: submission({ endsBy: 'answer', rejectedRows: [rejected(0)] }),
    });
    const other = finalSummary({ acceptedRows: [{ rowIndex: 0 }] });
    expect(withFinalSummary('b-1', ended, other)).toEqual({
      ...ended,
      contradictions: [expect.objectContaining({ summary: other.summary })],
    });
  });

  test('is recorded when it leaves out the rows that the answer rejected and counts another failure', () => {
    const made = submission({ endsBy: 'answer', rejectedRows: [rejected(0)] });
    const ended = batchFrom('b-1', { submission: made });
    const other = finalSummary({ summary: { total: 2, failed: 1, pending: 0 } });
    expect(withFinalSummary('b-1', ended, other)?.contradictions).toMatchObject([{ summary: other.summary }]);
    const same = finalSummary({ summary: { total: 2, failed: 0, pending: 0 } });
    expect(withFinalSummary('b-1', ended, same)).not.toHaveProperty('contradictions');
  });

  test('is not recorded as one when it counts nothing and names again some of the rows that the answer rejected', () => {
    const rejectedRows = [rejected(0), rejected(1)];
    const ended = batchFrom('b-1', { submission: submission({ endsBy: 'answer', rejectedRows }) });
    const other = finalSummary({ summary: { total: 2, failed: 2, pending: 0 }, rejectedRows });
    expect(withFinalSummary('b-1', ended, other)).toMatchObject({ finalSummary: other, unconfirmedRows: 1 });
    expect(withFinalSummary('b-1', ended, other)).not.toHaveProperty('contradictions');
  });

  test('does not end the batch when that of its own request came too, also if both came before the answer', () => {
    const allFailed = [0, 1, 2].map((rowIndex) => rejected(rowIndex));
    const ofOther = { ...summaryOf(allFailed), requestId: 'r-2' };
    const both = [ofOther, finalSummary()].reduce<BatchRecord | undefined>(
      (current, one) => take(current, { finalSummary: one }),
      undefined,
    );
    const record = withSubmission(both, submission());
    expect(record).toMatchObject({ state: 'completed', contradictions: [{ requestId: 'r-2' }] });
  });

  test('is recorded in the same way when both summaries come before the answer', () => {
    const summaries = [summaryOf([rejected(0)]), summaryOf([rejected(1)]), summaryOf([rejected(0, 'OTHER')])];
    const early = summaries.reduce<BatchRecord | undefined>(
      (current, one) => take(current, { finalSummary: one }),
      undefined,
    );
    const late = summaries.reduce<BatchRecord | undefined>(
      (current, one) => take(current, { finalSummary: one }),
      withSubmission(undefined, submission()),
    );
    expect(withSubmission(early, submission())).toEqual(late);
    expect(late?.contradictions).toHaveLength(1);
  });

  test('is stored next to one that differs only in its accepted rows', () => {
    const accepts = (rowIndex: number) => ({ ...summaryOf([rejected(2)], 1), acceptedRows: [{ rowIndex }] });
    const ended = batchFrom('b-1', { submission: submission(), finalSummary: summaryOf([rejected(0)]) });
    const first = withFinalSummary('b-1', ended, accepts(0));
    const both = withFinalSummary('b-1', first, accepts(1));
    expect(both?.contradictions).toHaveLength(2);
    expect(withFinalSummary('b-1', both, accepts(1))).toBeUndefined();
  });

  test('is stored at most ten times', () => {
    const first = batchFrom('b-1', { submission: submission(), finalSummary: finalSummary() });
    const many = Array.from({ length: 20 }, (_, index) => summaryOf([rejected(0, `CODE_${index}`)]));
    const record = many.reduce<BatchRecord | undefined>(
      (current, summary) => withFinalSummary('b-1', current, summary) ?? current,
      first,
    );
    expect(record?.contradictions).toHaveLength(10);
  });
});

test('a batch that has ended takes no resolution', () => {
  expect(withResolution(undefined, resolution())).toBeUndefined();
  const ended = batchFrom('b-1', { submission: submission(), finalSummary: finalSummary() });
  expect(withResolution(ended, resolution())).toBeUndefined();
});

describe('an unresolved batch', () => {
  const unknownRows = [{ rowIndex: 0 }, { rowIndex: 1 }];
  const unresolved = batchFrom(
    'b-1',
    { submission: submission(), resolution: resolution({ unknownRows }) },
    { announced: ['batch.submitted', 'batch.unresolved'] },
  );
  const later = { resolvedAt: '2026-11-21T09:00:00.000Z' };

  test('ends by a resolution that leaves no row unknown, at the time of that one', () => {
    expect(withResolution(unresolved, resolution({ ...later, rejectedRows: [rejected(1)] }))).toMatchObject({
      state: 'completed_with_errors',
      completedAt: later.resolvedAt,
      rows: { sent: 3, accepted: 2, rejected: 1, unknown: 0 },
    });
  });

  test('is reported again when fewer of its rows are unknown, and not written when as many are', () => {
    const fewer = withResolution(unresolved, resolution({ ...later, unknownRows: [{ rowIndex: 1 }] }));
    expect(fewer).toMatchObject({
      state: 'unresolved',
      rows: { unknown: 1 },
      announced: ['batch.submitted'],
    });
    expect(withResolution(unresolved, resolution({ ...later, unknownRows }))).toBeUndefined();
  });
});

test('a batch whose final summary came before its answer ends when the answer comes: never before it was submitted', () => {
  const early = { ...finalSummary({ rejectedRows: [] }), receivedAt: '2026-11-21T07:59:00.000Z' };
  const given = submission({ endsBy: 'summary', submittedAt: '2026-11-21T08:00:00.000Z' });
  const ended = batchFrom('b-1', { submission: given, finalSummary: early });
  expect(ended).toMatchObject({ submittedAt: given.submittedAt, completedAt: given.submittedAt });
});
