import {
  announceLeftOver,
  type SweepBatchesPorts,
  type SweepReport,
  type SweepSettings,
  sweepBatches,
} from '../../batches/use-cases/sweep-batches.ts';
import { type SweepRequestsPorts, sweepRequests } from './sweep-requests.ts';

export interface SweepPorts {
  readonly ofBatches: SweepBatchesPorts;
  readonly ofRequests: SweepRequestsPorts;
}

/**
 * Ends what was left: batches that were not announced, requests that no delivery comes back to, and batches that are open
 * past their deadline, in this order, as a request that is ended may begin such a batch.
 *
 * @returns `announced`: batches; `abandoned`: requests.
 */
export async function sweep(
  { ofBatches, ofRequests }: SweepPorts,
  settings: SweepSettings,
): Promise<SweepReport & { readonly announced: number; readonly abandoned: number }> {
  const announced = await announceLeftOver(ofBatches, settings);
  const abandoned = await sweepRequests(ofRequests, settings);
  return { announced, abandoned, ...(await sweepBatches(ofBatches, settings)) };
}
