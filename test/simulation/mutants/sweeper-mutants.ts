import type { Mutant } from './mutant.ts';

/** Mistakes in how batches end: by a summary, by a read-back, or unresolved. */
export const sweeperMutants: readonly Mutant[] = [
  {
    name: 'unsettled rows count as accepted',
    file: 'shared/batches/rules/batch-record.ts',
    find: "submission.endsBy === 'answer' ? 'accepted' : 'unknown'",
    replace: "'accepted'",
  },
  {
    name: 'temporarily refused rows count as accepted when another try may have created them',
    file: 'shared/batches/rules/batch-record.ts',
    find: "isRowRetryable(row) ? 'refused for now' : row",
    replace: "isRowRetryable(row) ? 'accepted' : row",
  },
  {
    name: 'a later summary replaces the first',
    file: 'shared/batches/rules/apply-fact.ts',
    find: 'if (current?.finalSummary === undefined || settlesMore(candidate, current)) return candidate;',
    replace: 'return candidate;',
  },
  {
    name: 'a summary after the batch became unresolved is ignored',
    file: 'shared/batches/rules/apply-fact.ts',
    find: 'const candidate = withReportDue(',
    replace: "if (current?.state === 'unresolved') return undefined; const candidate = withReportDue(",
  },
  {
    name: 'a summary with a requestId only finds no batch',
    file: 'shared/batches/use-cases/record-batch.ts',
    find: 'requestId === undefined ? undefined : await batches.linkedTo(requestId);',
    replace: 'undefined;',
  },
  {
    name: 'a webhook is accepted with any signature',
    file: 'shared/batches/use-cases/receive-summary.ts',
    find: 'if (!verification.ok) {',
    replace: 'if (false as boolean) {',
  },
  {
    name: 'the sweeper reads batches back before their deadline',
    file: 'shared/batches/use-cases/settle-batches.ts',
    find: 'if (deadlineAt <= now) yield batchId;',
    replace: 'yield batchId;',
  },
  {
    name: 'the sweeper marks batches as unresolved at their deadline',
    file: 'shared/batches/use-cases/settle-batches.ts',
    find: 'const isLastTry = Date.parse(at) >= Date.parse(lookedAt ?? at) + graceMs;',
    replace: 'const isLastTry = true;',
  },
  {
    name: 'the sweeper counts rows as done without a read',
    file: 'shared/batches/use-cases/read-back-rows.ts',
    find: "if (found === undefined) return 'rejected';",
    replace: "if (found === undefined) return 'accepted';",
  },
  {
    name: 'a product that is not on the pages read counts as missing',
    file: 'shared/batches/use-cases/read-back-rows.ts',
    find: 'return isWhole && sku === undefined',
    replace: 'return sku === undefined',
  },
  {
    name: 'failed rows are retried at each call',
    file: 'shared/batches/use-cases/retry-batch.ts',
    find: 'const commandId = retryIdOf(batchId, rows, store?.discardedAt);',
    replace: 'const commandId = retryIdOf(batchId, rows, store?.discardedAt) + ports.clock.now();',
  },
  {
    name: 'retried rows do not name the batch in which they failed',
    file: 'shared/batches/use-cases/retry-batch.ts',
    find: 'retryOf: batchId,',
    replace: 'retryOf: commandId,',
  },
  {
    name: 'the sweeper ignores its budget',
    file: 'shared/batches/use-cases/settle-batches.ts',
    find: ' || reading.calls <= 0',
    replace: '',
  },
  {
    name: 'an announcement is recorded before it is published',
    file: 'shared/batches/use-cases/announce-batch.ts',
    find: 'await ports.events.publish(',
    replace:
      'await ports.batches.update(batch.batchId, (current) => current && { ...current, announced: [...current.announced, ...due] }); await ports.events.publish(',
  },
];
