import { MarketplaceError } from '../../marketplace/errors.ts';
import type { Clock } from '../../time/clock.ts';

export interface SendAgainPorts {
  readonly clock: Clock;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
}

/** Times that a request is sent before it is left to the next delivery of its command. */
const MAX_SENDS = 4;
/** Milliseconds before the second send; doubles with each. */
const FIRST_PAUSE_MS = 500;
/** A longer wait that the marketplace asks for is left to the next delivery. */
const MAX_PAUSE_MS = 10_000;

/**
 * Sends again after a failure that may pass, and after an unknown outcome. Only for requests that may have their
 * effect twice without harm: product commands find what exists already, or set absolute values.
 *
 * @throws what the last `send` threw.
 */
export async function sendAgain<Result>(
  { clock, random }: SendAgainPorts,
  send: () => Promise<Result>,
): Promise<Result> {
  for (let sends = 1; ; sends += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof MarketplaceError) || !mayPass(error) || sends >= MAX_SENDS) throw error;
      const jitter = random() * FIRST_PAUSE_MS;
      const pause = Math.max(FIRST_PAUSE_MS * 2 ** (sends - 1), error.retryAfterMs ?? 0) + jitter;
      if (pause > MAX_PAUSE_MS) throw error;
      await clock.sleep(pause);
    }
  }
}

function mayPass({ retryable, outcome }: MarketplaceError): boolean {
  return retryable || outcome === 'unknown';
}
