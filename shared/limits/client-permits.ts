import { clientErrorCodes, MarketplaceError } from '../marketplace/errors.ts';
import type { Permits } from '../marketplace/options.ts';
import type { Limiter } from './limiter.ts';

/** Milliseconds that a call waits for leave at most; the caller's own backoff goes on from there. */
const LONGEST_WAIT_MS = 10_000;

/**
 * The shared limit as the marketplace client asks for it, before each attempt.
 *
 * @param yields whether the client's requests let those of others go first. Default `false`.
 */
export function clientPermits(
  limiter: Limiter,
  clock: { now(): number },
  { yields = false }: { readonly yields?: boolean } = {},
): Permits {
  return {
    acquire: async ({ storeClientId, signal }) => {
      const grant = await limiter.acquire({
        storeClientId,
        until: clock.now() + LONGEST_WAIT_MS,
        yields,
        ...(signal === undefined ? {} : { signal }),
      });
      if (grant.granted) return grant.permit;
      throw new MarketplaceError({
        code: clientErrorCodes.limitReached,
        message: `No leave to send in time: ${grant.reason}`,
        outcome: 'not-sent',
        retryable: true,
        retryAfterMs: Math.max(0, grant.retryAt - clock.now()),
      });
    },
  };
}
