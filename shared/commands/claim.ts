import { z } from 'zod';
import { stepKey } from './model.ts';

/**
 * Who does a command, of all messages that hold it: the first that asked, for as long as the Commands table remembers
 * commands. So a command that came in two packs has one effect.
 */
export const commandClaimSchema = z.object({
  /** The pack that the command is done in; its own `commandId` where it is done alone. */
  packId: z.string(),
  /** ISO 8601. */
  claimedAt: z.string(),
  /** ISO 8601: when it was discarded, with all that waited for its store, before anybody began it. */
  discardedAt: z.string().optional(),
});

export type CommandClaim = z.infer<typeof commandClaimSchema>;

/** The first claim counts; `undefined` for one that comes second. */
export function claimed(current: CommandClaim | undefined, claim: CommandClaim): CommandClaim | undefined {
  return current === undefined ? claim : undefined;
}

/** Key of a command's claim. As with its steps, two kinds of command may use the same ID. */
export function claimKey({
  storeClientId,
  commandId,
  detailType,
}: {
  readonly storeClientId: string;
  readonly commandId: string;
  readonly detailType: string;
}): string {
  return stepKey(storeClientId, commandId, `claim#${detailType}`);
}
