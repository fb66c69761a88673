import type { BatchRecord } from '../../batches/model.ts';
import { type QueueCreatedPorts, queueCreatedOfBatch } from '../created-products.ts';
import { type FollowResolutionPorts, followResolution, supersededFields } from '../follow-update.ts';

export type FollowBatchEndPorts = QueueCreatedPorts & FollowResolutionPorts;

/** Applies the end of a batch to listings and products, after a read-back or an operator's resolution. Idempotent. */
export async function followBatchEnd(ports: FollowBatchEndPorts, batch: BatchRecord): Promise<void> {
  await queueCreatedOfBatch(ports, batch);
  await followResolution(ports, batch);
}

/** The ports that ending a batch needs from products. */
export function batchEndPorts(ports: FollowBatchEndPorts) {
  return {
    onEnd: (batch: BatchRecord) => followBatchEnd(ports, batch),
    supersededFields: (storeClientId: string, sent: unknown) => supersededFields(ports, storeClientId, sent),
  };
}
