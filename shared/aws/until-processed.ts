import { setTimeout as pause } from 'node:timers/promises';
import { ConnectorError } from '../errors/connector-error.ts';

const MAX_TRIES = 6;
/** Milliseconds before the second try; doubled before each further one. */
const FIRST_PAUSE_MS = 20;

/**
 * Repeats a call of DynamoDB's that answers 200 with what it left undone, until nothing is left. `call` returns what it
 * left of what it was given.
 *
 * @throws ConnectorError `UNPROCESSED` (retryable) when something is left again and again
 */
export async function untilProcessed<T>(
  items: readonly T[],
  call: (open: readonly T[]) => Promise<readonly T[]>,
): Promise<void> {
  let open = items;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (tries > 0) await pause(FIRST_PAUSE_MS * 2 ** (tries - 1));
    open = await call(open);
    if (open.length === 0) return;
  }
  throw new ConnectorError(`DynamoDB left ${open.length} of ${items.length} items undone`, {
    code: 'UNPROCESSED',
    retryable: true,
  });
}
