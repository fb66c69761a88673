import { createHash } from 'node:crypto';
import type { Listing, Registers } from '../../listings/model.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';

/**
 * The one row of a request that was refused as a whole, as rejected. The same values of a target get the same ID, however
 * often they are sent before it is known that they were refused.
 *
 * @param registers those that the row was to settle
 * @param signedAt epoch ms of the request's signature
 */
export function rejectionOfRow(
  { listing, registers }: { readonly listing: Listing; readonly registers: Registers },
  { code, message, context }: MarketplaceError,
  signedAt: number,
): Rejection {
  const { storeClientId, target, waitingSince = signedAt } = listing;
  const digest = createHash('sha256')
    .update(JSON.stringify([target, registers]))
    .digest('base64url');
  return boundedRejection({
    storeClientId,
    rejectionId: `${new Date(waitingSince).toISOString()}#${digest}`,
    rejectedAt: new Date(signedAt).toISOString(),
    code,
    message,
    target,
    details: { ...context },
  });
}
