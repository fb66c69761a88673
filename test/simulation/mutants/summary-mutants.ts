import type { Mutant } from './mutant.ts';

/** Mistakes in reading the outcomes of rows, and in matching final summaries to batches. */
export const summaryMutants: readonly Mutant[] = [
  {
    name: 'failures counted without their rows count as accepted',
    file: 'shared/marketplace/row-outcomes.ts',
    find: 'failuresIn(summary) <= failures',
    replace: 'true',
  },
  {
    name: 'rows of an answer that denies success count as accepted',
    file: 'shared/marketplace/row-outcomes.ts',
    find: 'success !== false &&',
    replace: '',
  },
  {
    name: 'failures that name no row of the request count as accepted',
    file: 'shared/marketplace/row-outcomes.ts',
    find: 'left === 0 &&',
    replace: '',
  },
  {
    name: 'a failure that a summary counts is taken for one of the answer, whose rows the summary leaves out',
    file: 'shared/batches/rules/batch-record.ts',
    find: 'failed: failed + length',
    replace: 'failed',
    scenario: 'summaries',
  },
  {
    name: 'a row number written as text is not read',
    file: 'shared/marketplace/batch.ts',
    find: 'rowIndex: wholeNumber,\n    id:',
    replace: 'rowIndex: z.int().nonnegative().optional().catch(undefined),\n    id:',
  },
  {
    name: 'a count written as text is not read',
    file: 'shared/marketplace/batch.ts',
    find: '  failed: count,',
    replace: '  failed: z.int().nonnegative().optional().catch(undefined),',
    scenario: 'summaries',
  },
  {
    name: "a summary of another store ends the batch with its batch's ID",
    file: 'shared/batches/rules/apply-fact.ts',
    find: 'current !== undefined && isOfOtherStore(current, finalSummary)',
    replace: 'false as boolean',
    scenario: 'summaries',
  },
  {
    name: 'a batch does not look for a summary that came before its answer',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: 'return moveSummaries(ports, { from: early.batchId, to: batchId }, first);',
    replace: 'return batch;',
  },
  {
    name: 'the batch of a request is not recorded',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: 'if (!isStoredByRequestId) await ports.batches.link(requestId, batchId);',
    replace: '',
  },
  {
    name: 'a summary does not look again for a batch that appeared meanwhile',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: 'const appeared = await findBatch(ports, own);',
    replace: 'const appeared = undefined as string | undefined;',
  },
  {
    name: 'unmatched summaries are lost when another one finds their batch',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: 'for (const summary of summariesOf(kept)) await addSummary(ports, to, summary);',
    replace: '',
  },
  {
    name: 'a summary replaces the answer',
    file: 'shared/batches/rules/apply-fact.ts',
    find: 'batchFrom(batchId, { ...current, finalSummary }, current)',
    replace: 'batchFrom(batchId, { finalSummary }, current)',
  },
  {
    name: 'an answer replaces an earlier summary',
    file: 'shared/batches/rules/apply-fact.ts',
    find: 'finalSummary === undefined ? [] : [finalSummary, ...contradictions]',
    replace: '[] as FinalSummary[]',
  },
  {
    name: 'a contradicting summary replaces the end of its batch',
    file: 'shared/batches/rules/apply-fact.ts',
    find: 'current?.submission !== undefined && isBatchEnded(current.state)',
    replace: 'current?.submission !== undefined && current.submission === undefined',
  },
  {
    name: 'a contradicting summary is dropped',
    file: 'shared/batches/rules/apply-fact.ts',
    find: 'if (contradicts(current.submission, current, finalSummary))',
    replace: 'if (current.submission === undefined)',
  },
  {
    name: 'a contradicting summary is stored and not reported',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: 'eventsOf(batch, due, contradictions)',
    replace: 'eventsOf(batch, due, [])',
  },
];
