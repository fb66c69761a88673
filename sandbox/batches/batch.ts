/** The ASYNC calls. */
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

/** A row that is not applied yet. */
export interface PendingRow {
  accepted: AcceptedRow;
  /** Applies the row to the marketplace; `time` is epoch milliseconds. Gives an error if the row has become impossible meanwhile. */
  apply(time: number): RowOutcome;
}

/** The row errors and the pending rows of one request, before it becomes a batch. */
export interface BatchPlan {
  kind: BatchKind;
  pending: readonly PendingRow[];
  errors: readonly RowError[];
}

/** A fault of a batch's final summary. */
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
  /** The row errors in the answer. */
  readonly errors: readonly RowError[];
  /** The rows that are not applied yet. */
  pending: readonly PendingRow[];
  /** Undefined until the batch is applied. */
  result: { acceptedRows: AcceptedRow[]; errors: RowError[] } | undefined;
  /** Attempts to deliver the final summary. */
  readonly deliveries: Delivery[];
}

export interface Delivery {
  /** ISO 8601. */
  time: string;
  /** The receiver's status, or the error. */
  outcome: number | string;
}
