import type { Mutant } from './mutant.ts';

/** Mistakes in bringing final summaries to their batches. */
export const summaryMutants: readonly Mutant[] = [
  {
    name: 'a batch does not look for a summary that came before its answer',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: 'return moveSummary(ports, { from: early.batchId, to: batchId }, early.finalSummary);',
    replace: 'return batch;',
  },
  {
    name: 'nobody notes which batch a request began',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: 'if (!goesByRequest) await ports.batches.link(requestId, batchId);',
    replace: '',
  },
  {
    name: 'a summary does not look once more for the batch that appeared meanwhile',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: "record.state === 'unmatched' ? await findBatch(ports, ids) : undefined",
    replace: 'undefined as string | undefined',
  },
  {
    name: 'a summary takes the place of what the answer said',
    file: 'shared/batches/rules/take-fact.ts',
    find: 'batchFrom(batchId, { ...current, finalSummary }, current)',
    replace: 'batchFrom(batchId, { finalSummary }, current)',
  },
  {
    name: 'an answer takes the place of a summary that came before it',
    file: 'shared/batches/rules/take-fact.ts',
    find: 'batchFrom(submission.batchId, { ...current, submission }, current)',
    replace: 'batchFrom(submission.batchId, { submission }, current)',
  },
];
