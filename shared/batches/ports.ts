import type { BatchKind, BatchRecord, BatchState } from './model.ts';

/** Which batches to list; at least one of `storeClientId` and `state`. */
export interface BatchQuery {
  readonly storeClientId?: string;
  readonly state?: BatchState;
  readonly kind?: BatchKind;
  /** ISO 8601, inclusive. */
  readonly since?: string;
  readonly limit?: number;
  readonly cursor?: string;
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
