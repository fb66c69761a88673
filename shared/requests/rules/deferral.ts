import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { deferralMs, meaningOf } from '../../marketplace/failures.ts';
import type { Store } from '../../stores/model.ts';
import type { RequestFault } from '../model.ts';

/** Age up to which a command is deferred while the marketplace fails. An older one goes to the dead-letter queue. */
const WAIT_FOR_MARKETPLACE_MS = 24 * 3_600_000;

/** Milliseconds before work without time left is delivered to another invocation. */
const NEXT_INVOCATION_MS = 1_000;

/** Why and for how long a command waits in its queue. */
export interface Deferral {
  readonly code: string;
  readonly delayMs: number;
  /** Age of the command in milliseconds; only if it waits because the marketplace fails. */
  readonly ageMs?: number;
}

/**
 * How long to defer a command that failed; `undefined` for a fault that waiting can't correct.
 *
 * @param ageMs age of the command.
 */
export function deferralOf(error: unknown, ageMs: number): Deferral | undefined {
  if (error instanceof MarketplaceError) {
    const mayPass =
      meaningOf(error) === 'partner-refused' ||
      ((error.retryable || error.outcome === 'unknown') && ageMs < WAIT_FOR_MARKETPLACE_MS);
    return mayPass ? { code: error.code, delayMs: deferralMs(ageMs), ageMs } : undefined;
  }
  if (!(error instanceof ConnectorError) || !error.retryable) return undefined;
  return { code: error.code, delayMs: error instanceof NotYetError ? error.delayMs : deferralMs(ageMs) };
}

/** Whether nothing can be sent before the partner's credentials are put right: every command waits for that, however long. */
export function isPartnerRefused(error: unknown): error is MarketplaceError {
  return error instanceof MarketplaceError && meaningOf(error) === 'partner-refused';
}

/**
 * Whether a failed request certainly had no effect. After any other error, of a table for example, only the record of the
 * request says whether it was sent.
 */
export function hadNoEffect(error: unknown): boolean {
  return error instanceof MarketplaceError ? error.outcome !== 'unknown' : error instanceof ConnectorError;
}

/** A command can't be performed yet: it is deferred for `delayMs`. */
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

/** REQUEST_BUSY, retryable: another invocation is sending the request. */
export function requestBusy(recordId: string): ConnectorError {
  return new ConnectorError(`request ${recordId} is being sent`, { code: 'REQUEST_BUSY', retryable: true });
}

/** OUT_OF_TIME, retryable: the invocation has no time left. */
export function outOfTime(id: string): ConnectorError {
  return new NotYetError(`no time is left for ${id} in this invocation`, {
    code: 'OUT_OF_TIME',
    delayMs: NEXT_INVOCATION_MS,
  });
}

/** Whether a command of `time` (epoch ms) was discarded with all waiting work of its store. */
export function isDiscarded({ discardedAt }: Pick<Store, 'discardedAt'>, time: number): boolean {
  return discardedAt !== undefined && time <= Date.parse(discardedAt);
}

/** COMMAND_DISCARDED: why a discarded command is rejected. */
export function discardedFault({ storeClientId, discardedAt }: Store): RequestFault {
  const message = `all waiting work of store ${storeClientId} was discarded at ${discardedAt}`;
  return { code: 'COMMAND_DISCARDED', message };
}
