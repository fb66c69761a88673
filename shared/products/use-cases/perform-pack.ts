import { stepKey } from '../../commands/model.ts';
import type { RequestTime } from '../../commands/request-time.ts';
import type { CommandMessage } from '../../commands/use-cases/or-put-off.ts';
import { type ReportOncePorts, reportOnce } from '../../commands/use-cases/report-once.ts';
import { discarded, discardedFault } from '../../stores/use-cases/for-connected-store.ts';
import type { CommandPack } from '../model.ts';
import { rejectionOfCommand } from '../rules/row-rejection.ts';
import { type ClaimCommandsPorts, type ClaimedCommand, claimCommands } from './claim-commands.ts';
import { dropBulkCommands } from './drop-bulk-commands.ts';
import { type PerformBulkCommandPorts, performBulkCommands } from './perform-bulk-commands.ts';
import { type Performed, type PerformForStorePorts, performForStore } from './perform-for-store.ts';

export type PerformPackPorts = PerformForStorePorts & ClaimCommandsPorts & PerformBulkCommandPorts;

/**
 * Does the commands of a pack that are its own to do, each once. Which of them were discarded is asked before they are
 * claimed, and never again of some alone: what its requests hold must not change from one delivery to the next. Once all
 * of them are discarded, what is left of them is dropped. What is left when the time is over waits.
 */
export async function performPack(
  ports: PerformPackPorts,
  message: CommandMessage,
  pack: CommandPack,
  time: RequestTime,
): Promise<Performed> {
  const { storeClientId } = pack;
  const claimed = await claimCommands(ports, pack, await ports.stores.get(storeClientId));
  const toDo = claimed.filter(({ discardedAt }) => discardedAt === undefined).map(({ command }) => command);
  const rejected = await rejectDiscarded(ports, pack, claimed);
  const [first, ...others] = toDo;
  if (first === undefined) return { requests: 0, rejected };
  const own = { ...pack, commands: toDo };
  const done = await performForStore(ports, message, [first, ...others], {
    work: (store) => performBulkCommands(ports, own, store, time),
    drop: (fault) => dropBulkCommands(ports, own, fault),
  });
  return { ...done, rejected: done.rejected + rejected };
}

/** Rejects the commands of a pack that were discarded before anybody began them, each by itself; returns their number. */
async function rejectDiscarded(
  ports: ReportOncePorts,
  { storeClientId, packId, detailType }: CommandPack,
  claimed: readonly ClaimedCommand[],
): Promise<number> {
  const rejections = claimed.flatMap(({ command, discardedAt }) =>
    discardedAt === undefined
      ? []
      : [rejectionOfCommand(command, discardedFault(discarded({ storeClientId, discardedAt })))],
  );
  await reportOnce(ports, stepKey(storeClientId, packId, `discarded#${detailType}`), rejections);
  return rejections.length;
}
