import type { ReceivedSummary } from '../../shared/batches/model.ts';
import type { SummaryQueue } from '../../shared/batches/ports.ts';
import { directly, type Step } from './step.ts';

/** The sending side of the summaries queue in memory: passes each message to `accept`. */
export function inMemorySummaryQueue(
  accept: (summary: ReceivedSummary) => void,
  step: Step = directly,
): SummaryQueue {
  return {
    send: (summary) => step(`summaries.send ${summary.receivedAt}`, () => accept({ ...summary })),
  };
}
