import { chunk } from '../../collections/chunk.ts';
import { MAX_PRODUCT_BYTES } from '../model.ts';
import type { PackedCommandQueue } from '../ports.ts';
import { type PackedMessage, packCommands, type ReceivedMessage } from '../rules/pack-commands.ts';

export interface ForwardCommandsPorts {
  readonly commands: PackedCommandQueue;
  readonly newId: () => string;
  /** Products per request at most. */
  readonly itemsPerRequest: number;
}

export interface ForwardedCommands {
  /** Messages sent. */
  readonly sent: number;
  /** Messages that must come again: what they hold may not be sent. */
  readonly failedMessageIds: readonly string[];
  readonly failures: readonly unknown[];
}

/** As many as one call of SQS takes. */
const MESSAGES_PER_CALL = 10;

/**
 * Sends the bulk commands of some messages on to the product commands queue, small ones packed together. A message is
 * done with when what it holds is durable there, be it sent twice: who performs commands does each of them once.
 */
export async function forwardCommands(
  { commands, newId, itemsPerRequest }: ForwardCommandsPorts,
  messages: readonly ReceivedMessage[],
): Promise<ForwardedCommands> {
  const packed = packCommands(messages, {
    maxItems: itemsPerRequest,
    maxBytes: MAX_PRODUCT_BYTES,
    newPackId: () => `pack/${newId()}`,
  });
  const failures: unknown[] = [];
  const failed: PackedMessage[] = [];
  for (const call of chunk(packed, MESSAGES_PER_CALL)) {
    try {
      await commands.send(call.map(({ body }) => body));
    } catch (error) {
      failures.push(error);
      failed.push(...call);
    }
  }
  return {
    sent: packed.length - failed.length,
    failedMessageIds: failed.flatMap(({ messageIds }) => messageIds),
    failures,
  };
}
