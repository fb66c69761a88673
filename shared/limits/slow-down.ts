import type { PermitOutcome } from '../marketplace/options.ts';
import { changeLimit, type LimitPart, readLimit } from './limit-part.ts';
import { isComplaint, slowedBy } from './model.ts';

/** The most attempts of a write that meets a concurrent write or stale data. */
export const MAX_TRIES = 5;

/** Gives a permit back. How its request ended may slow everyone, or end a stop. */
export async function giveBackPermit(
  part: LimitPart,
  permitId: string,
  outcome: PermitOutcome,
  at: number,
): Promise<void> {
  const removePermits = [permitId];
  part.process.usedAt = Math.max(part.process.usedAt, part.clock.now());
  if (outcome.unused) {
    await changeLimit(part, { removePermits, add: { granted: -1 } });
    return;
  }
  if (isComplaint(outcome)) await Promise.all(part.all.map((one) => slowPart(one, outcome, at)));
  const left = await changeLimit(part, { removePermits });
  if (left?.stop === undefined || !isSuccess(outcome)) return;
  await Promise.all(part.all.map((one) => endStop(one, at)));
}

/** A complaint about one request slows the requests of every part. */
async function slowPart(part: LimitPart, outcome: PermitOutcome, at: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const slowed = slowedBy(await readLimit(part), outcome, at, part.clock.now());
    if ((await changeLimit(part, slowed)) !== undefined) return;
  }
}

/** A stop that began after the request was sent goes on. */
async function endStop(part: LimitPart, sentAt: number): Promise<void> {
  await changeLimit(part, { where: [['stop.since', '<=', sentAt]], removeStop: true });
}

/** A good answer, or a refusal of the request's content, shows that the credentials it bore are right again. */
function isSuccess({ status, code, unsigned = false }: PermitOutcome): boolean {
  if (unsigned) return false;
  return code === 'VAL_001' || (status !== undefined && status >= 200 && status < 300);
}

/** Stops the lanes of this part. */
export async function stopLanes(
  part: LimitPart,
  { code, message }: { readonly code: string; readonly message: string },
): Promise<void> {
  const { stop } = await readLimit(part);
  const now = part.clock.now();
  const retryAt = now + part.settings.stopMs;
  await changeLimit(part, { set: { stop: { code, message, since: stop?.since ?? now, retryAt } } });
}
