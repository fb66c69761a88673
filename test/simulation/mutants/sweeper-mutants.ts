import type { Mutant } from './mutant.ts';

/** Mistakes in how batches end: by their summaries, by reading back, or unresolved. */
export const sweeperMutants: readonly Mutant[] = [
  {
    name: 'rows that nothing has settled count as accepted',
    file: 'shared/batches/rules/batch-record.ts',
    find: "submission.endsBy === 'answer' ? 'accepted' : 'unknown'",
    replace: "'accepted'",
  },
  {
    name: 'rows that were refused for now count as accepted where another try may have made them',
    file: 'shared/batches/rules/batch-record.ts',
    find: "isRowRetryable(row) ? 'refused for now' : row",
    replace: "isRowRetryable(row) ? 'accepted' : row",
  },
  {
    name: 'a later summary takes the place of the first',
    file: 'shared/batches/rules/take-fact.ts',
    find: 'if (current?.finalSummary === undefined || settlesMore(candidate, current)) return candidate;',
    replace: 'return candidate;',
  },
  {
    name: 'a summary that comes after the batch was given up is ignored',
    file: 'shared/batches/rules/take-fact.ts',
    find: 'const candidate = toReportAgain(',
    replace: "if (current?.state === 'unresolved') return undefined; const candidate = toReportAgain(",
  },
  {
    name: 'a summary that names the request alone finds no batch',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: 'requestId === undefined ? undefined : await batches.linkedTo(requestId);',
    replace: 'undefined;',
  },
  {
    name: 'a webhook is taken whatever its signature',
    file: 'shared/batches/use-cases/summaries.ts',
    find: 'if (!verification.ok) return { accepted: false, reason: verification.reason };',
    replace: '',
  },
  {
    name: 'the sweeper takes up batches before their deadline',
    file: 'shared/batches/use-cases/sweep-batches.ts',
    find: 'if (deadlineAt <= now) yield batchId;',
    replace: 'yield batchId;',
  },
  {
    name: 'the sweeper gives batches up at their deadline',
    file: 'shared/batches/use-cases/settle-batch.ts',
    find: 'const isLastTry = Date.parse(at) >= Date.parse(lookedAt ?? at) + graceMs;',
    replace: 'const isLastTry = true;',
  },
  {
    name: 'the sweeper takes rows for done without looking',
    file: 'shared/batches/use-cases/read-back-rows.ts',
    find: "return product !== undefined && isProductOf(row, product) ? 'done' : 'not done';",
    replace: "return 'done';",
  },
  {
    name: 'what is not on the pages that were read counts as not there',
    file: 'shared/batches/use-cases/read-back-rows.ts',
    find: 'return isWhole && sku === undefined',
    replace: 'return sku === undefined',
  },
  {
    name: 'failed rows are tried again at each call',
    file: 'shared/batches/use-cases/retry-batch.ts',
    find: 'const commandId = retryIdOf(batchId, scope, rows);',
    replace: 'const commandId = retryIdOf(batchId, scope, rows) + ports.clock.now();',
  },
  {
    name: 'rows that are tried again do not say where they failed',
    file: 'shared/batches/use-cases/retry-batch.ts',
    find: 'retryOf: batchId,',
    replace: 'retryOf: commandId,',
  },
  {
    name: 'the sweeper minds no budget',
    file: 'shared/batches/use-cases/sweep-batches.ts',
    find: ' || reading.calls <= 0',
    replace: '',
  },
  {
    name: 'what is announced is noted before it is on the bus',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: 'await ports.events.publish(',
    replace:
      'await ports.batches.update(batch.batchId, (current) => current && { ...current, announced: [...current.announced, ...due] }); await ports.events.publish(',
  },
];
