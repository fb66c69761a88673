/** What a sweep may still spend; shared by the batches that it takes up. */
export interface CallBudget {
  /** Reads that may still be made; a batch that was begun is read whole all the same. */
  calls: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}
