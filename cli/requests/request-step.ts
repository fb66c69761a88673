/** A request to the marketplace. Its source gives further fields. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly storeClientId: string | null;
  /** Its rows, where the source counts them. */
  readonly items: number | null;
  /** `null` without an answer. */
  readonly status: number | null;
  /** The marketplace's error code; for a request without an answer, its outcome. */
  readonly errorCode: string | null;
  readonly [field: string]: unknown;
}

/** A request that was sent, or the end of one. */
export interface RequestStep {
  readonly what: 'request' | 'answer';
  /** ISO 8601. */
  readonly time: string;
  readonly request: SentRequest;
}
