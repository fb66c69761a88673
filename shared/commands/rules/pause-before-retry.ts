import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { deferralMs } from '../../marketplace/policies/back-off.ts';

/**
 * Waits that nobody is to blame for: they end when the store comes back, what is worked on is free, or another
 * invocation takes the rest of a long command.
 */
const WAITS = new Set(['STORE_NOT_CONNECTED', 'PRODUCT_BUSY', 'ORDERS_BUSY', 'DOCUMENT_BUSY', 'OUT_OF_TIME']);

/** Age up to which a command waits for a marketplace that fails; one that is older is left to the dead-letter queue. */
const WAIT_FOR_MARKETPLACE_MS = 24 * 3_600_000;

/**
 * Milliseconds after which a failed command is to be tried again (design §2: every command waits its turn);
 * `undefined` for a failure that waiting does not mend.
 *
 * @param ageMs time since the command was given.
 */
export function pauseBeforeRetry(error: unknown, ageMs: number): number | undefined {
  const waits = error instanceof ConnectorError && WAITS.has(error.code);
  const mayPass = error instanceof MarketplaceError && (error.retryable || error.outcome === 'unknown');
  if (!waits && !(mayPass && ageMs < WAIT_FOR_MARKETPLACE_MS)) return undefined;
  return deferralMs(ageMs);
}
