import type { Store } from '../../stores/model.ts';
import type { RequestFault } from '../model.ts';

/** Whether what was given at `time`, epoch ms, was discarded with everything that waited for its store. */
export function isDiscarded({ discardedAt }: Pick<Store, 'discardedAt'>, time: number): boolean {
  return discardedAt !== undefined && time <= Date.parse(discardedAt);
}

/** Why a command that was not begun is rejected: COMMAND_DISCARDED. */
export function discardedFault({ storeClientId, discardedAt }: Store): RequestFault {
  const message = `everything that waited for store ${storeClientId} was discarded at ${discardedAt}`;
  return { code: 'COMMAND_DISCARDED', message };
}
