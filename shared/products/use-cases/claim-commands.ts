import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { CommandClaim } from '../../commands/model.ts';
import type { ClaimTable } from '../../commands/ports.ts';
import { claimKey } from '../../commands/rules/claim.ts';
import type { Store } from '../../stores/model.ts';
import { isDiscarded } from '../../stores/use-cases/for-connected-store.ts';
import type { BulkCommand, CommandPack } from '../model.ts';

export interface ClaimCommandsPorts {
  readonly claims: ClaimTable;
  readonly clock: { now(): number };
}

/** A command that a pack has to end. */
export interface ClaimedCommand {
  readonly command: BulkCommand;
  /** ISO 8601: when it was discarded, if it was, before anybody began it. */
  readonly discardedAt: string | undefined;
}

/** Claims written at a time. */
const CONCURRENCY = 10;

/**
 * Claims a pack's commands for it, each once; those that another pack has, or that stand in this one already, are left
 * out. Every later delivery of the pack gets the same commands: what its requests hold never changes.
 *
 * @param store what was discarded of it counts for the commands that nobody has claimed yet.
 */
export async function claimCommands(
  { claims, clock }: ClaimCommandsPorts,
  { packId, commands }: CommandPack,
  store: Pick<Store, 'discardedAt'> = {},
): Promise<ClaimedCommand[]> {
  const claimedAt = new Date(clock.now()).toISOString();
  const distinct = [
    ...new Map(commands.toReversed().map((command) => [command.commandId, command])).values(),
  ].toReversed();
  const found = new Map<BulkCommand, CommandClaim>();
  await forEachConcurrently(distinct, CONCURRENCY, async (command) => {
    const { discardedAt } = isDiscarded(store, command.time) ? store : {};
    const claim = { packId, claimedAt, ...(discardedAt !== undefined && { discardedAt }) };
    found.set(command, await claims.claim(claimKey(command), claim));
  });
  return distinct.flatMap((command) => {
    const claim = found.get(command);
    return claim?.packId === packId ? [{ command, discardedAt: claim.discardedAt }] : [];
  });
}
