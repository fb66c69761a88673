import { ConnectorError } from '../errors/connector-error.ts';
import type { Clock } from '../time/clock.ts';
import { systemClock } from '../time/system-clock.ts';

const MAX_TRIES = 6;
/** Milliseconds before the second try; doubled before each further one. */
const FIRST_PAUSE_MS = 20;

export interface UntilProcessedOptions {
  /** What the error is called; default `UNPROCESSED`. */
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly clock?: Pick<Clock, 'sleep'>;
}

/**
 * Repeats a batch call, after a pause, with the items that AWS left unprocessed, until all are processed. AWS answers such
 * a call with 200. `call` returns the items that were left unprocessed.
 *
 * @throws ConnectorError of `code` (retryable) when something is left again and again
 */
export async function untilProcessed<T>(
  items: T[],
  call: (open: T[]) => Promise<T[]>,
  { code = 'UNPROCESSED', details = {}, clock = systemClock }: UntilProcessedOptions = {},
): Promise<void> {
  let open = items;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (tries > 0) await clock.sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
    open = await call(open);
    if (open.length === 0) return;
  }
  throw new ConnectorError(`${open.length} of ${items.length} were left undone ${MAX_TRIES} times`, {
    code,
    retryable: true,
    details,
  });
}
