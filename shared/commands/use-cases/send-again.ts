import { clientErrorCodes, MarketplaceError } from '../../marketplace/errors.ts';
import type { Clock } from '../../time/clock.ts';

export interface SendAgainPorts {
  readonly clock: Clock;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
}

/** Times that a request is sent before it is left to the next delivery of its command. */
const MAX_SENDS = 6;
/** No send of a command begins later than this after the first, in milliseconds, so that the last one ends within its function. */
export const SEND_WITHIN_MS = 20_000;
/** Milliseconds before the second send; doubles with each, up to the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 4_000;

/**
 * Sends again after a failure that may pass, and after an unknown outcome. Only for requests that may have their
 * effect twice without harm: a creation finds what exists already, an update sets absolute values, a document is
 * generated anew.
 *
 * @param withinMs no send begins later than this after the first.
 * @throws what the last `send` threw.
 */
export async function sendAgain<Result>(
  { clock, random }: SendAgainPorts,
  send: () => Promise<Result>,
  withinMs = SEND_WITHIN_MS,
): Promise<Result> {
  const lastBeginning = clock.now() + withinMs;
  for (let sends = 1; ; sends += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof MarketplaceError) || !mayPass(error) || sends >= MAX_SENDS) throw error;
      const pause = pauseAfter(error, sends, random);
      if (clock.now() + pause > lastBeginning) throw error;
      await clock.sleep(pause);
    }
  }
}

/** Without a permit the command is deferred: a running function does not wait for one any longer. */
function mayPass({ code, retryable, outcome }: MarketplaceError): boolean {
  return code !== clientErrorCodes.limitReached && (retryable || outcome === 'unknown');
}

/** Milliseconds: what the marketplace asks for, and at least a growing pause of our own. */
function pauseAfter({ retryAfterMs = 0 }: MarketplaceError, sends: number, random: () => number): number {
  const own = Math.min(FIRST_PAUSE_MS * 2 ** (sends - 1), LONGEST_PAUSE_MS);
  return Math.max(own, retryAfterMs) + random() * own;
}
