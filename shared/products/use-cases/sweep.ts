import type { BatchRecord } from '../../batches/model.ts';
import {
  announceLeftOver,
  type SweepBatchesPorts,
  type SweepReport,
  type SweepSettings,
  sweepBatches,
} from '../../batches/use-cases/sweep-batches.ts';
import { type RearmCreatedPorts, rearmCreatedByBatch } from './rearm-created.ts';
import { type SweepStepsPorts, sweepSteps } from './sweep-steps.ts';

export type SweepPorts = SweepStepsPorts & SweepBatchesPorts & RearmCreatedPorts;

/**
 * Ends what nobody else will: batches whose announcement was left over, steps of commands that were abandoned, and
 * batches that are open past their deadline.
 */
export async function sweep(
  ports: SweepPorts,
  settings: SweepSettings,
): Promise<SweepReport & { readonly announced: number; readonly abandoned: number }> {
  const sweeping = { ...ports, onEnd: (batch: BatchRecord) => rearmCreatedByBatch(ports, batch) };
  const announced = await announceLeftOver(sweeping, settings);
  const abandoned = await sweepSteps(ports, settings);
  return { announced, abandoned, ...(await sweepBatches(sweeping, settings)) };
}
