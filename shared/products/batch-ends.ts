import type { BatchRecord } from '../batches/model.ts';
import { queueCreatedOfBatch } from './created-products.ts';
import type { BatchEndPorts } from './ports.ts';
import { comparableFields, followResolution } from './update-requests.ts';

/** Applies the end of a batch to listings and products, after a read-back or an operator's resolution. Idempotent. */
export async function followBatchEnd(ports: BatchEndPorts, batch: BatchRecord): Promise<void> {
  await queueCreatedOfBatch(ports, batch);
  await followResolution(ports, batch);
}

/** The ports that ending a batch needs from products. */
export function batchEndPorts(ports: BatchEndPorts) {
  return {
    onEnd: (batch: BatchRecord) => followBatchEnd(ports, batch),
    comparableFields: (recordId: string) => comparableFields(ports, recordId),
  };
}
