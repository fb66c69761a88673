import type { PermitOutcome } from '../../marketplace/options.ts';
import type { Limit, LimitSettings, Reservation } from '../model.ts';
import { uncounted } from './count.ts';
import { slowDown } from './pace.ts';
import { withTimeTaken } from './shares.ts';

/** Takes a permit back; how its request ended may slow everyone, or end a stop. `now` is epoch ms. */
export function giveBack(
  current: Limit,
  reservation: Reservation,
  outcome: PermitOutcome,
  now: number,
): Limit {
  const { permitId, takenAt, slotAt, slotBefore, slotAfter } = reservation;
  const { [permitId]: _, ...permits } = current.permits;
  const limit = withTimeTaken({ ...current, permits }, reservation, now);
  if (outcome.unused) {
    const unused = permitId in current.permits ? uncounted(limit, takenAt) : limit;
    return limit.nextSlotAt === slotAfter ? { ...unused, nextSlotAt: slotBefore } : unused;
  }
  return slowDown(isSuccess(outcome) ? withoutStop(limit) : limit, outcome, slotAt, now);
}

/** Stops the lanes: the partner's credentials are refused although they were read anew. */
export function stopLanes(
  limit: Limit,
  { stopMs }: LimitSettings,
  { code, message }: { code: string; message: string },
  now: number,
): Limit {
  return { ...limit, stop: { code, message, since: limit.stop?.since ?? now, retryAt: now + stopMs } };
}

/** Whoever is answered well, or refused for the request's content, shows that the credentials it bore are right again. */
function isSuccess({ status, code, unsigned = false }: PermitOutcome): boolean {
  if (unsigned) return false;
  return code === 'VAL_001' || (status !== undefined && status >= 200 && status < 300);
}

function withoutStop({ stop: _, ...limit }: Limit): Limit {
  return limit;
}
