import type { MessageFacts } from '../../events/parse-incoming-event.ts';
import { withIdentity } from '../../events/with-identity.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CommandQueue } from '../ports.ts';
import { pauseBeforeRetry } from '../rules/pause-before-retry.ts';

export interface OrPutOffPorts {
  /** The queue that the command came from. */
  readonly again: CommandQueue;
  readonly clock: { now(): number };
}

/** An event that was understood, as a message brought it. */
export interface CommandMessage extends MessageFacts {
  readonly body: string;
}

/** Why a command waits in its queue. */
export interface PutOff {
  /** Code of what keeps it waiting. */
  readonly putOff: string;
  /** Milliseconds since it was given, where it is the marketplace that keeps it waiting. */
  readonly ageMs?: number;
}

/**
 * Does a command's work. When it fails for a reason that passes (the store is not connected, the marketplace is down)
 * the command is put back into its queue, as a new message that comes later: waiting never counts as failing, and ends
 * in no dead-letter queue (design P8).
 *
 * @param time when the command was given, in epoch ms.
 * @throws what `work` throws for any other reason.
 */
export async function orPutOff<Result>(
  { again, clock }: OrPutOffPorts,
  { message, time }: { readonly message: CommandMessage; readonly time: number },
  work: () => Promise<Result>,
): Promise<Result | PutOff> {
  try {
    return await work();
  } catch (error) {
    const ageMs = Math.max(0, clock.now() - time);
    const pause = pauseBeforeRetry(error, ageMs);
    if (pause === undefined) throw error;
    await again.sendLater(withIdentity(message.body, { id: message.messageId, time }), pause);
    return { putOff: codeOf(error), ...(error instanceof MarketplaceError && { ageMs }) };
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
}
