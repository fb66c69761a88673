import { definedOf } from '../collections/defined-of.ts';
import type { EpochMs } from '../time/times.ts';
import { type Complaint, concerns, LONGEST_PAUSE_MS, pauseMs, SAME_OUTAGE_MS } from '../time/waits.ts';
import { changeLimit, type LimitPart, readLimit } from './limit-part.ts';
import { type Limit, paceAt } from './model.ts';
import type { LimitChange, PermitOutcome } from './ports.ts';

/** Most attempts of a write that fails because another process has written meanwhile. */
export const MAX_TRIES = 5;

/** Gives a permit back. The outcome of its request may slow all requests, or end a stop. */
export async function giveBackPermit(
  part: LimitPart,
  permitId: string,
  outcome: PermitOutcome,
  at: EpochMs,
): Promise<void> {
  const permits = { [permitId]: undefined };
  if (outcome.unused) {
    await changeLimit(part, { permits });
    return;
  }
  if (await isForAll(part, outcome)) await Promise.all(part.all.map((one) => slowPart(one, outcome, at)));
  const seen = seenOutcome(outcome, part.seen.failingSince, part.clock.now());
  const left = await changeLimit(part, { permits, ...seen });
  if (left?.heldUntil !== undefined && !isFailure(outcome))
    await Promise.all(part.all.map((one) => endHold(one, at)));
  if (left?.stop === undefined || !isSuccess(outcome)) return;
  await Promise.all(part.all.map((one) => endStop(one, at)));
}

/** Whether the outcome asks all requests to wait. Notes which store has seen an outage: if another store sees one too, all must wait. */
async function isForAll({ all: [first], clock }: LimitPart, outcome: PermitOutcome): Promise<boolean> {
  const whom = concerns(outcome);
  if (whom !== 'store' || first === undefined) return whom === 'all';
  // Take the time before the read, which may hang: the time of the answer counts.
  const now = clock.now();
  const { outage } = await readLimit(first);
  const { storeClientId = '' } = outcome;
  if (outage !== undefined && outage.storeClientId !== storeClientId && now < outage.until) return true;
  const until = now + Math.max(SAME_OUTAGE_MS, pauseMs(outcome));
  await changeLimit(first, { set: { outage: { storeClientId, until } } });
  return false;
}

/** Slows one part after a complaint. */
async function slowPart(part: LimitPart, outcome: PermitOutcome, at: EpochMs): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const slowed = slowedBy(await readLimit(part), outcome, at, part.clock.now());
    if ((await changeLimit(part, slowed)) !== undefined) return;
  }
}

/** Factor of a cut of the pace. */
const CUT = 0.5;
const SLOWEST_PACE = 0.1;

/**
 * The change after a complaint that concerns all: a pause, and half the pace. A complaint about a request that was sent before the
 * last cut does not cut again. The change fails if another complaint was written after `limit` was read.
 *
 * @param slotAt when the request was sent.
 */
function slowedBy(limit: Limit, complaint: Complaint, slotAt: EpochMs, now: EpochMs): LimitChange {
  const pausedUntil = Math.max(limit.pausedUntil, now + pauseMs(complaint));
  const { retryAfterMs: asked } = complaint;
  const cut = { slowedAt: now, pace: Math.max(SLOWEST_PACE, paceAt(limit, now) * CUT) };
  const isQueueShorter = limit.nextSlotAt <= pausedUntil;
  return {
    where: [
      ['slowedAt', '=', limit.slowedAt],
      ['pausedUntil', '=', limit.pausedUntil],
      ['nextSlotAt', isQueueShorter ? '<=' : '>=', pausedUntil],
    ],
    set: {
      pausedUntil,
      ...(isQueueShorter && { nextSlotAt: pausedUntil }),
      ...(slotAt > limit.slowedAt && cut),
      ...(asked !== undefined && {
        heldUntil: asked > LONGEST_PAUSE_MS ? now + asked : undefined,
      }),
    },
  };
}

/** Ends a long pause that the marketplace asked for, unless it has asked again since the request was sent. */
async function endHold(part: LimitPart, sentAt: EpochMs): Promise<void> {
  const now = part.clock.now();
  const set = { heldUntil: undefined, pausedUntil: now, nextSlotAt: now };
  await changeLimit(part, { where: [['slowedAt', '<=', sentAt]], set });
}

/** Ends a stop, unless it began after the request was sent. */
async function endStop(part: LimitPart, sentAt: EpochMs): Promise<void> {
  await changeLimit(part, { where: [['stop.since', '<=', sentAt]], set: { stop: undefined } });
}

/** Whether the outcome shows that the credentials are right: a good answer, or a refusal of the request's content. */
function isSuccess({ status, code, unsigned = false }: PermitOutcome): boolean {
  if (unsigned) return false;
  if (code !== undefined) return code === 'VAL_001';
  return status !== undefined && status >= 200 && status < 300;
}

export async function stopLanes(
  part: LimitPart,
  { code, message }: { readonly code: string; readonly message: string },
): Promise<void> {
  const { stop } = await readLimit(part);
  const now = part.clock.now();
  const retryAt = now + part.settings.stopMs;
  await changeLimit(part, { set: { stop: { code, message, since: stop?.since ?? now, retryAt } } });
}

/** Whether the outcome of a request shows that the marketplace does not work: no answer, a 5xx, or a complaint about the rate. */
function isFailure({ status, code = '', elsewhere = false }: PermitOutcome): boolean {
  if (elsewhere) return false;
  return status === undefined || status >= 500 || status === 429 || code.startsWith('SYS_');
}

/**
 * The part of the write that gives a permit back which records the outcome of its request.
 *
 * @param failingSince the item's `failingSince` when it was last read.
 */
export function seenOutcome(
  outcome: PermitOutcome,
  failingSince: EpochMs | undefined,
  now: EpochMs,
): Pick<LimitChange, 'set' | 'add'> {
  if (!isFailure(outcome))
    return { add: { succeeded: 1 }, set: { succeededAt: now, failingSince: undefined } };
  const { status, code } = outcome;
  const failure = { at: now, ...definedOf({ status, code }) };
  return { add: { failed: 1 }, set: { failure, failingSince: failingSince ?? now } };
}
