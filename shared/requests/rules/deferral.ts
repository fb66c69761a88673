import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { deferralMs } from '../../marketplace/failures.ts';

/** Age up to which a command waits for a marketplace that fails; an older one is left to the dead-letter queue. */
const WAIT_FOR_MARKETPLACE_MS = 24 * 3_600_000;

/** Why and for how long a command waits in its queue. */
export interface Deferral {
  readonly code: string;
  readonly delayMs: number;
  /** Milliseconds since the command was given, where it is the marketplace that keeps it waiting. */
  readonly ageMs?: number;
}

/**
 * How long to wait before a command that did not end is delivered again; `undefined` for a fault that waiting does not
 * mend.
 *
 * @param ageMs time since the command was given.
 */
export function deferralOf(error: unknown, ageMs: number): Deferral | undefined {
  if (error instanceof MarketplaceError) {
    const mayPass = (error.retryable || error.outcome === 'unknown') && ageMs < WAIT_FOR_MARKETPLACE_MS;
    return mayPass ? { code: error.code, delayMs: deferralMs(ageMs), ageMs } : undefined;
  }
  if (!(error instanceof ConnectorError) || !error.retryable) return undefined;
  return { code: error.code, delayMs: error instanceof NotYetError ? error.delayMs : deferralMs(ageMs) };
}

/** What a command asks for can't be done yet; it is worth another try after `delayMs`. */
export class NotYetError extends ConnectorError {
  readonly delayMs: number;

  constructor(
    message: string,
    options: { readonly code: string; readonly delayMs: number; readonly cause?: unknown },
  ) {
    super(message, { ...options, retryable: true });
    this.delayMs = options.delayMs;
  }
}
