import type { BatchRecord } from '../../batches/model.ts';
import { type RearmCreatedPorts, rearmCreatedByBatch } from '../../listings/use-cases/rearm.ts';
import { type FollowResolutionPorts, followResolution, supersededFields } from '../follow-update.ts';

export type FollowBatchEndPorts = RearmCreatedPorts & FollowResolutionPorts;

/** What follows elsewhere from the end of a batch that was read back, or that an operator ended. May be done again. */
export async function followBatchEnd(ports: FollowBatchEndPorts, batch: BatchRecord): Promise<void> {
  await rearmCreatedByBatch(ports, batch);
  await followResolution(ports, batch);
}

/** What ending a batch needs of products. */
export function batchEndsOver(ports: FollowBatchEndPorts) {
  return {
    onEnd: (batch: BatchRecord) => followBatchEnd(ports, batch),
    supersededFields: (storeClientId: string, sent: unknown) => supersededFields(ports, storeClientId, sent),
  };
}
