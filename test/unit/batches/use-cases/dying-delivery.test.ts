import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchRecord } from '../../../../shared/batches/model.ts';
import type { SentRows } from '../../../../shared/batches/rules/sent-rows.ts';
import { recordSubmission, recordSummary } from '../../../../shared/batches/use-cases/record-batch.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import type { Step } from '../../../doubles/step.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import { finalSummary, submission } from '../batch-facts.ts';

test.each([
  ['requestId', { requestId: 'r-1' }, {}],
  ['batchId', { batchId: 'b-1' }, {}],
  ['batchId and requestId', { batchId: 'b-1', requestId: 'r-1' }, {}],
  [
    'batchId and requestId of a batch without a batchId',
    { batchId: 'b-1', requestId: 'r-1' },
    { batchId: 'r-1' },
  ],
])(
  'a summary with its %s is in its batch alone, though one of two deliveries of it dies',
  async (_, ids, facts) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat(12), async (scheduler, steps) => {
        const items = new VersionedItems<BatchRecord>();
        const [links, sentRows] = [new Map<string, string>(), new VersionedItems<SentRows>()];
        const scheduled: Step = async (_name, effect) => scheduler.schedule(Promise.resolve()).then(effect);
        let left = steps;
        const dying: Step = async (name, effect) => {
          left -= 1;
          if (left < 0) throw new Error('killed');
          return scheduled(name, effect);
        };
        const portsOf = (step: Step) => ({
          batches: inMemoryBatchTable(step, items, links, undefined, sentRows),
          events: inMemoryEventPublisher(),
          rejections: inMemoryRejectionTable(),
        });
        const [ports, other] = [portsOf(scheduled), portsOf(dying)];
        const summary = () => finalSummary({ ...('requestId' in ids && { requestId: ids.requestId }) });
        const all = Promise.allSettled([
          recordSubmission(ports, submission(facts)),
          recordSummary(ports, ids, summary()),
          recordSummary(other, ids, summary()),
        ]);
        await scheduler.waitFor(all);
        expect(items.all().filter(({ state }) => state === 'unmatched')).toEqual([]);
      }),
      { numRuns: 400 },
    );
  },
);
