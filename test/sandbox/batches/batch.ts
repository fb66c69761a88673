/** The ASYNC calls of the spec. */
export type BatchKind = 'catalog.sync' | 'product.create' | 'price.update' | 'stock.update' | 'order.dropoff';

export interface AcceptedRow {
  rowIndex: number;
  [field: string]: unknown;
}

export interface RowError {
  rowIndex: number;
  [field: string]: unknown;
}

type RowOutcome = { accepted: AcceptedRow } | { error: RowError };

/** A row that the answer called pending, and how it is applied. */
export interface PendingRow {
  accepted: AcceptedRow;
  /** Changes the marketplace; `time` is epoch milliseconds. May find that the row has become impossible. */
  apply(time: number): RowOutcome;
}

/** The row errors and the pending rows of one request, before it becomes a batch. */
export interface BatchPlan {
  kind: BatchKind;
  pending: readonly PendingRow[];
  errors: readonly RowError[];
}

/** What a fault does to the final summary of a batch. */
export type WebhookDisturbance = 'duplicate' | 'delay' | 'drop' | 'early' | 'reorder';

export interface Batch {
  readonly kind: BatchKind;
  readonly batchId: string;
  readonly requestId: string;
  readonly storeClientId: string;
  readonly partnerClientId: string;
  /** ISO 8601. */
  readonly acceptedAt: string;
  readonly disturbance: WebhookDisturbance | undefined;
  /** Number of rows in the request. */
  readonly total: number;
  /** The row errors that could be seen at once. */
  readonly errors: readonly RowError[];
  /** The rows still to be applied. */
  pending: readonly PendingRow[];
  /** What came of the batch; undefined until it was applied. */
  result: { acceptedRows: AcceptedRow[]; errors: RowError[] } | undefined;
  /** Attempts to deliver the final summary. */
  readonly deliveries: Delivery[];
}

export interface Delivery {
  /** ISO 8601. */
  time: string;
  /** The status that the receiver answered, or why there was none. */
  outcome: number | string;
}
