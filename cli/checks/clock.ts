import { duration } from '../render/words.ts';
import { type Found, fault, ok } from './finding.ts';

/** AWS and the marketplace refuse signatures beyond 5 minutes. */
const MAX_CLOCK_ERROR_MS = 300_000;
const TOLERATED_CLOCK_ERROR_MS = 30_000;

/** The difference between the clocks of this machine and of a server, by the header `date` of its answer. */
export function clockFinding(server: string, date: string | null, now: number): Found {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return { state: 'warning', message: `${server} does not say its time` };
  const error = Math.abs(now - theirs);
  const message = `the clock of this machine is ${duration(error)} ${now < theirs ? 'behind' : 'ahead'} of ${server}`;
  const hint = 'Synchronize the clock: signatures more than 5 minutes off are refused.';
  if (error >= MAX_CLOCK_ERROR_MS) return fault(message, hint);
  return error > TOLERATED_CLOCK_ERROR_MS
    ? { state: 'warning', message, hint }
    : ok(`the clock is that of ${server}`);
}
