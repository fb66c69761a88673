import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { deferralMs, meaningOf } from '../../marketplace/failures.ts';
import type { Store } from '../../stores/model.ts';
import type { RequestFault } from '../model.ts';

/** Age up to which a command waits for a marketplace that fails; an older one is left to the dead-letter queue. */
const WAIT_FOR_MARKETPLACE_MS = 24 * 3_600_000;

/** Milliseconds after which what there was no time for is delivered to another invocation. */
const NEXT_INVOCATION_MS = 1_000;

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
 * Whether a request that failed surely had no effect. After a fault of another kind, of a table for example, the record of
 * the request says whether it was sent.
 */
export function hadNoEffect(error: unknown): boolean {
  return error instanceof MarketplaceError ? error.outcome !== 'unknown' : error instanceof ConnectorError;
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

/** Why a command waits while its request is being sent: REQUEST_BUSY, retryable. */
export function requestBusy(recordId: string): ConnectorError {
  return new ConnectorError(`request ${recordId} is being sent`, { code: 'REQUEST_BUSY', retryable: true });
}

/** Why what there is no time for waits: OUT_OF_TIME, retryable. */
export function outOfTime(id: string): ConnectorError {
  return new NotYetError(`${id} is for another invocation`, {
    code: 'OUT_OF_TIME',
    delayMs: NEXT_INVOCATION_MS,
  });
}

/** Whether what was given at `time`, epoch ms, was discarded with everything that waited for its store. */
export function isDiscarded({ discardedAt }: Pick<Store, 'discardedAt'>, time: number): boolean {
  return discardedAt !== undefined && time <= Date.parse(discardedAt);
}

/** Why a command that was not begun is rejected: COMMAND_DISCARDED. */
export function discardedFault({ storeClientId, discardedAt }: Store): RequestFault {
  const message = `everything that waited for store ${storeClientId} was discarded at ${discardedAt}`;
  return { code: 'COMMAND_DISCARDED', message };
}
