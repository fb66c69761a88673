import type { BatchRecord } from '../../batches/model.ts';
import { type RecordBatchPorts, recordSubmission } from '../../batches/use-cases/record-batch.ts';
import type { CommandStep } from '../../commands/model.ts';
import type { CommandTable } from '../../commands/ports.ts';
import { reportRefused } from '../../commands/use-cases/report-refused.ts';
import { endStep } from '../../commands/use-cases/run-step.ts';
import type { RearmTargetsPorts } from '../../listings/use-cases/rearm-targets.ts';
import type { ReportRejectionsPorts } from '../../rejections/use-cases/report-rejections.ts';
import { rearmCreated } from './rearm-created.ts';

export interface FinishStepPorts extends RecordBatchPorts, RearmTargetsPorts, ReportRejectionsPorts {
  readonly commands: Pick<CommandTable, 'update'>;
  readonly clock: { now(): number };
}

/**
 * Records and announces the batch that a step's answer began, or reports what it refused, and ends the step. The answer
 * is kept in the step until then: however often this is done, and whoever does it, there is one batch.
 *
 * @param sent the rows of the request, as they were sent.
 */
export async function finishStep(
  ports: FinishStepPorts,
  step: CommandStep,
  sent: readonly unknown[],
): Promise<void> {
  const { commandId: key, answer } = step;
  if (answer === undefined) return reportRefused(ports, step);
  const onEnd = (batch: BatchRecord) => rearmCreated(ports, batch, sent);
  const { batchId } = await recordSubmission({ ...ports, onEnd }, answer);
  await endStep(ports, key, { batchId });
}
