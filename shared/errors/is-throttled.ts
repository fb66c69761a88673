import { ConnectorError } from './connector-error.ts';

/** Errors by which an AWS service says that it takes no more for now. */
const THROTTLING: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);

/** Whether a table refuses reads or writes for now, in one call or in what is left of a batch. */
export function isThrottled(error: unknown): boolean {
  if (error instanceof ConnectorError) return error.code === 'UNPROCESSED' || isThrottled(error.cause);
  return error instanceof Error && THROTTLING.has(error.name);
}
