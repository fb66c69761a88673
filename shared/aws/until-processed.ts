import { ConnectorError } from '../errors/connector-error.ts';
import type { Clock } from '../time/clock.ts';
import { systemClock } from '../time/system-clock.ts';

const MAX_TRIES = 6;
/** Pause before the second try. It doubles before each further try. */
const FIRST_PAUSE_MS = 20;

export interface UntilProcessedOptions {
  /** Code of the error; default `UNPROCESSED`. */
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly clock?: Pick<Clock, 'sleep'>;
}

/**
 * Calls a batch operation until all items are processed, with a pause before each retry. `call` returns the items that AWS
 * left unprocessed, although it answered 200.
 *
 * @throws ConnectorError of `code` (retryable) when items are still unprocessed after all tries
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
  throw new ConnectorError(
    `${open.length} of ${items.length} were still unprocessed after ${MAX_TRIES} tries`,
    {
      code,
      retryable: true,
      details,
    },
  );
}
