import { ConnectorError } from './connector-error.ts';

/** Errors by which an AWS service says that it takes no more for now. */
const THROTTLING: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'KmsThrottled',
  'SlowDown',
]);
/** Our own errors for what a table or a queue did not take at any try. */
const NOT_TAKEN: ReadonlySet<string> = new Set(['UNPROCESSED', 'WRITE_CONTENTION', 'MESSAGES_NOT_SENT']);

/** Whether a table, a queue or a bucket takes no more for now, in one call or in what is left of a batch. */
export function isThrottled(error: unknown): boolean {
  if (error instanceof ConnectorError) return NOT_TAKEN.has(error.code) || isThrottled(error.cause);
  return error instanceof Error && THROTTLING.has(error.name);
}
