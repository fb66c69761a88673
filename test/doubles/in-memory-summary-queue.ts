import type { ReceivedSummary } from '../../shared/batches/model.ts';
import type { SummaryQueue } from '../../shared/batches/ports.ts';
import { directly, type Step } from './step.ts';

/** The summaries queue's sending side in memory: each message goes to `accept` as it comes to the queue. */
export function inMemorySummaryQueue(
  accept: (summary: ReceivedSummary) => void,
  step: Step = directly,
): SummaryQueue {
  return {
    send: (summary) => step(`summaries.send ${summary.archiveKey}`, () => accept({ ...summary })),
  };
}
