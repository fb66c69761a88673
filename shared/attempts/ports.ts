import type { Attempt, AttemptOutcome } from './model.ts';

/** The Attempts table. */
export interface AttemptTable {
  /** Durable when it resolves; called before the request leaves. A later call with the same ID replaces it. */
  put(attempt: Attempt): Promise<void>;
  /**
   * Keeps what is known of the outcome of an attempt that is not closed yet.
   *
   * @throws ConnectorError `ATTEMPT_UNKNOWN` where none was put
   */
  note(attemptId: string, result: NonNullable<Attempt['result']>): Promise<void>;
  /** Notes how it ended; nothing where none was put, as for a request that had no leave to be sent. */
  close(attemptId: string, outcome: AttemptOutcome, batchId?: string): Promise<void>;
  get(attemptId: string): Promise<Attempt | undefined>;
}
