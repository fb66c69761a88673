import {
  clientErrorCodes,
  fromTransportError,
  MarketplaceError,
  TransportError,
} from '../marketplace/errors.ts';
import type { Permits } from '../marketplace/options.ts';
import type { Limiter } from './limiter.ts';

/** Milliseconds that a call waits for leave at most; the caller's own backoff goes on from there. */
const LONGEST_WAIT_MS = 10_000;

/**
 * The shared limit as the marketplace client asks for it, before each attempt. Leave that is not had in time is a
 * MarketplaceError `LIMIT_REACHED`, a wait that the caller's signal ends one `ABORTED`; nothing was sent then.
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
      const until = clock.now() + LONGEST_WAIT_MS;
      const grant = await limiter
        .acquire({ storeClientId, until, yields, ...(signal === undefined ? {} : { signal }) })
        .catch((cause: unknown) => {
          if (!signal?.aborted || cause !== signal.reason) throw cause;
          const message = 'aborted by the caller, who waited for leave to send';
          throw fromTransportError(new TransportError('aborted', message, { sent: false, cause }));
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
