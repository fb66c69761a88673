import { type AnnounceLeftOverPorts, announceLeftOver } from '../../batches/use-cases/announce-left-over.ts';
import {
  type SweepBatchesPorts,
  type SweepReport,
  type SweepSettings,
  sweepBatches,
} from '../../batches/use-cases/sweep-batches.ts';
import { type SweepStepsPorts, sweepSteps } from './sweep-steps.ts';

export type SweepPorts = SweepStepsPorts & AnnounceLeftOverPorts & SweepBatchesPorts;

/**
 * Ends what nobody else will: batches whose announcement was left over, steps of commands that were abandoned, and
 * batches that are open past their deadline.
 */
export async function sweep(
  ports: SweepPorts,
  settings: SweepSettings,
): Promise<SweepReport & { readonly announced: number; readonly abandoned: number }> {
  const announced = await announceLeftOver(ports, settings);
  const abandoned = await sweepSteps(ports, settings);
  return { announced, abandoned, ...(await sweepBatches(ports, settings)) };
}
