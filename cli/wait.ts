import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from './errors.ts';
import { EXIT } from './exit-codes.ts';

const TIMED_OUT = 'TIMED_OUT';

/** Whether what was waited for did not come in time. */
export function isTimeOut(error: unknown): boolean {
  return error instanceof CliError && error.code === TIMED_OUT;
}

/**
 * Calls `look` every second until it returns something.
 *
 * @param options.withinMs milliseconds to wait
 * @param options.hint what tells how it went on: the command given again would do its work again
 * @throws CliError with the exit code of a timeout
 */
export async function poll<T>(
  look: () => Promise<T | undefined>,
  {
    withinMs,
    what,
    hint,
    everyMs = 1000,
  }: { withinMs: number; what: string; hint?: string; everyMs?: number },
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() + everyMs > end)
      throw new CliError(`${what} did not come within ${withinMs / 1000} s`, {
        code: TIMED_OUT,
        exitCode: EXIT.timedOut,
        ...(hint !== undefined && { hint }),
      });
    await pause(everyMs);
  }
}
