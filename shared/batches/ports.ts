import type { PageRequest } from '../collections/page-request.ts';
import type { BatchKind, BatchRecord, BatchState, ReceivedSummary } from './model.ts';

/** Which batches to list; at least one of `storeClientId` and `state`. */
export interface BatchQuery extends PageRequest {
  readonly storeClientId?: string | undefined;
  readonly state?: BatchState | undefined;
  readonly kind?: BatchKind | undefined;
  /** ISO 8601, inclusive. */
  readonly since?: string | undefined;
}

/** The Batches table. */
export interface BatchTable {
  /** Strongly consistent. */
  get(batchId: string): Promise<BatchRecord | undefined>;
  /**
   * Applies `change` to the newest record and stores the result, as one conditional write; calls it again when
   * another writer came between. `change` returns `undefined` to leave the record as it is.
   */
  update(
    batchId: string,
    change: (current: BatchRecord | undefined) => BatchRecord | undefined,
  ): Promise<BatchRecord | undefined>;
  list(query: BatchQuery): Promise<{ batches: BatchRecord[]; cursor?: string }>;
}

/** The archive bucket: webhook bodies as they came, byte for byte. */
export interface SummaryArchive {
  /** Durable when it resolves; the same bytes of the same day come to lie under the same key. */
  put(rawBody: Uint8Array, receivedAt: string): Promise<string>;
  get(archiveKey: string): Promise<Uint8Array>;
}

/** The summaries queue. */
export interface SummaryQueue {
  send(summary: ReceivedSummary): Promise<void>;
}
