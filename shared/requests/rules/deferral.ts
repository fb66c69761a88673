import { definedOf } from '../../collections/defined-of.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { clientErrorCodes, detailsOf, MarketplaceError } from '../../marketplace/errors.ts';
import { meaningOf } from '../../marketplace/failures.ts';
import { boundedDetails, boundedText } from '../../rejections/rules/bounded.ts';
import type { Store } from '../../stores/model.ts';
import type { EpochMs } from '../../time/times.ts';
import { deferralMs } from '../../time/waits.ts';
import type { Command, CommandWait, RequestFault } from '../model.ts';

/** While the marketplace fails, a command is deferred for this long. Then it goes to the dead-letter queue. */
const WAIT_FOR_MARKETPLACE_MS = 24 * 3_600_000;

/** When an invocation has no time left, its commands are redelivered after this time. */
const NEXT_INVOCATION_MS = 1_000;

/** A request whose store changed its names meanwhile is tried again after this time. */
const RENAMING_MS = 3_000;

/** Why the outcome of an abandoned request is unknown. */
export const ABANDONED: RequestFault = {
  code: 'REQUEST_ABANDONED',
  message: 'the sender was stopped before the answer came',
};

export interface Deferral {
  readonly code: string;
  readonly delayMs: number;
  /** Time since the command was received. Present only if the command waits because the marketplace fails. */
  readonly ageMs?: number;
}

/**
 * How long to defer a command that failed; `undefined` if waiting can't help.
 *
 * @param ageMs time since the command was received.
 */
export function deferralOf(error: unknown, ageMs: number): Deferral | undefined {
  if (error instanceof MarketplaceError) {
    // Nothing can be sent before a person acts, so commands wait without a time limit.
    const { tablesRestored } = clientErrorCodes;
    const waitsForPerson = meaningOf(error) === 'partner-refused' || error.code === tablesRestored;
    const mayPass =
      waitsForPerson || ((error.retryable || error.outcome === 'unknown') && ageMs < WAIT_FOR_MARKETPLACE_MS);
    return mayPass ? { code: error.code, delayMs: deferralMs(ageMs), ageMs } : undefined;
  }
  if (!(error instanceof ConnectorError) || !error.retryable) return undefined;
  return { code: error.code, delayMs: error instanceof NotYetError ? error.delayMs : deferralMs(ageMs) };
}

/** A waiting command is late this long after its next try was due. The margin is for a backlog of its queue. */
const LATE_MS = 900_000;

/**
 * Why a command waits, as shown at `now`. The record may be outdated: it stays when the command's message becomes a dead letter,
 * and when a person deletes the dead letter.
 */
export function waitSeenAt(wait: CommandWait, now: EpochMs): CommandWait {
  const { message, nextAt } = wait;
  if (now < Date.parse(nextAt) + LATE_MS) return wait;
  const late = `its next try was due at ${nextAt}: it is late, or its message became a dead letter`;
  return { ...wait, message: `${message}; ${late}` };
}

/** Whether nothing can be sent before the partner's credentials are put right. */
export function isPartnerRefused(error: unknown): error is MarketplaceError {
  return error instanceof MarketplaceError && meaningOf(error) === 'partner-refused';
}

/**
 * Whether the error shows that the request had no effect. After any other error, for example of a table, only the request's
 * record says whether the request was sent.
 */
export function hadNoEffect(error: unknown): error is MarketplaceError | ConnectorError {
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

/** REQUEST_NOT_KEPT: a command has waited for `recordRetentionDays`, and the record of a request in its plan has expired. */
export function requestNotKept(recordId: string): ConnectorError {
  return new ConnectorError(`request ${recordId} is not kept any more`, { code: 'REQUEST_NOT_KEPT' });
}

/** STORE_BUSY, retryable: the names of the store are changing, or have changed since the request was planned. */
export function storeRenaming({ storeClientId }: Pick<Store, 'storeClientId'>): ConnectorError {
  return new NotYetError(`the names of store ${storeClientId} are changing`, {
    code: 'STORE_BUSY',
    delayMs: RENAMING_MS,
  });
}

/** OUT_OF_TIME, retryable: the invocation has no time left. */
export function outOfTime(id: string): ConnectorError {
  return new NotYetError(`no time is left for ${id} in this invocation`, {
    code: 'OUT_OF_TIME',
    delayMs: NEXT_INVOCATION_MS,
  });
}

/** The bus gives an event's time in whole seconds, so that up to this much is cut off. */
const CUT_OFF_MS = 999;

/** When a command was given, as exactly as known. The milliseconds of a time in whole seconds may be cut off. */
export function givenAt({ time, receivedAt = time }: Pick<Command, 'time' | 'receivedAt'>): number {
  return time % 1000 === 0 ? Math.min(Math.max(time, receivedAt), time + CUT_OFF_MS) : time;
}

/**
 * Whether a command was discarded with all waiting work of its store. The earlier of its two times counts, as its sender's clock
 * may be ahead.
 */
export function isCommandDiscarded(
  { discardedAt }: Pick<Store, 'discardedAt'>,
  command: Pick<Command, 'time' | 'receivedAt'>,
): boolean {
  const at = Math.min(givenAt(command), command.receivedAt ?? command.time);
  return discardedAt !== undefined && at <= Date.parse(discardedAt);
}

/** COMMAND_DISCARDED: why a discarded command is rejected. */
export function discardedFault({ storeClientId, discardedAt }: Store): RequestFault {
  const message = `all waiting work of store ${storeClientId} was discarded at ${discardedAt}`;
  return { code: 'COMMAND_DISCARDED', message };
}

/** Why a command is rejected if its `commandId` was used before by another command. */
export const REUSED_ID = {
  code: 'COMMAND_ID_REUSED',
  message: 'commandId was used before with other content; ignored',
  field: 'detail.commandId',
};

/** The fault of a failed call, bounded. */
export function faultOf(error: MarketplaceError): RequestFault {
  const { code, message, requestId, status } = error;
  const details = detailsOf(error);
  return {
    code: boundedText(code),
    message: boundedText(message),
    ...definedOf({ requestId, status, details: details && boundedDetails(details) }),
  };
}
