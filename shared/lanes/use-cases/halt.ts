import type { MarketplaceError } from '../../marketplace/errors.ts';
import type { NoPlace } from '../../marketplace/options.ts';
import { backOffMs, backOffs } from '../../marketplace/policies/back-off.ts';
import type { FailureMeaning } from '../../marketplace/policies/whole-refusal.ts';
import { suspendStore } from '../../stores/use-cases/suspend-store.ts';
import type { LaneContext } from './lane-context.ts';

/** Why a holder sends no more. */
export type Halt =
  | { readonly reason: 'failure'; readonly error: unknown }
  | { readonly reason: 'suspended' | 'stopped' | 'partner-refused' }
  /** `untilMs`: milliseconds before the lane is looked at again. */
  | { readonly reason: 'paused'; readonly untilMs: number };

/** Nothing was done, and nothing more is to be sent for now. */
export interface Refusal {
  readonly verdict: Exclude<FailureMeaning, 'unknown' | 'rows'>;
  readonly error: MarketplaceError;
}

/** What it means that the rate limiter has no place. */
export function haltOfLimit({ reason, retryAt }: NoPlace, now: number): Halt {
  return reason === 'stopped' ? { reason } : { reason: 'paused', untilMs: Math.max(0, retryAt - now) };
}

/** What a refusal means for all that the holder still wanted to send. */
export function haltOfRefusal({ verdict, error }: Refusal, random: () => number): Halt {
  if (verdict === 'store-refused') return { reason: 'suspended' };
  if (verdict === 'partner-refused') return { reason: 'partner-refused' };
  // A refusal that no row is to blame for may last: it is not asked often.
  const failures = verdict === 'not-now' ? 2 : 5;
  return { reason: 'paused', untilMs: error.retryAfterMs ?? backOffMs(backOffs.row, failures, random) };
}

/** Lets all others know of a refusal. Gives another halt where it turns out that there is none of the store any more. */
export async function reportRefusal(
  { ports, store }: LaneContext,
  { verdict, error }: Refusal,
): Promise<Halt | undefined> {
  if (verdict === 'partner-refused') await ports.limiter.stop(error);
  if (verdict !== 'store-refused') return undefined;
  await suspendStore(ports, store, error);
  const current = await ports.stores.get(store.storeClientId);
  const isRotated = current?.state === 'connected' && current.storeToken !== store.storeToken;
  // What the old token was refused for goes out with the new one at once, and not when the waker comes by.
  return isRotated ? { reason: 'paused', untilMs: 0 } : undefined;
}
