import type { Grant } from '../../limits/limiter.ts';
import { backOffMs, backOffs } from '../../marketplace/policies/back-off.ts';
import { suspendStore } from '../../stores/use-cases/suspend-store.ts';
import type { Clock } from '../../time/clock.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneReport } from './lane-report.ts';
import type { Refusal } from './settle-request.ts';

/** The same stop for good of one holder's sending, whatever the reason. */
export type Halt =
  | { readonly reason: 'failure'; readonly error: unknown }
  | { readonly reason: 'suspended' | 'stopped' | 'partner-refused' }
  | { readonly reason: 'paused'; readonly untilMs: number };

/** What it means that the limit gives no leave. */
export function haltOfLimit(
  { reason, retryAt }: Extract<Grant, { granted: false }>,
  clock: Pick<Clock, 'now'>,
): Halt {
  return reason === 'stopped'
    ? { reason }
    : { reason: 'paused', untilMs: Math.max(0, retryAt - clock.now()) };
}

/** What a refusal means for all that the holder still wanted to send. */
export function haltOfRefusal({ verdict, error }: Refusal, random: () => number): Halt {
  if (verdict === 'store-refused') return { reason: 'suspended' };
  if (verdict === 'partner-refused') return { reason: 'partner-refused' };
  // Refused for good, and for none of its rows: as nobody knows for what, it is not asked often.
  const failures = error.retryable ? 2 : 5;
  return { reason: 'paused', untilMs: error.retryAfterMs ?? backOffMs(backOffs.row, failures, random) };
}

/** What a report says of a refusal. */
export function describeRefusal({
  error: { code, message, requestId },
}: Refusal): NonNullable<LaneReport['refusal']> {
  return { code, message, ...(requestId === undefined ? {} : { requestId }) };
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
