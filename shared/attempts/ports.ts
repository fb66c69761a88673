import type { Attempt, AttemptOutcome } from './model.ts';

/** The Attempts table. */
export interface AttemptTable {
  /** Durable when it resolves; called before the request leaves. A later call with the same ID replaces it. */
  put(attempt: Attempt): Promise<void>;
  /** Keeps what is known of the outcome of an attempt that is not closed yet. */
  note(attemptId: string, result: NonNullable<Attempt['result']>): Promise<void>;
  close(attemptId: string, outcome: AttemptOutcome, batchId?: string): Promise<void>;
  get(attemptId: string): Promise<Attempt | undefined>;
}
