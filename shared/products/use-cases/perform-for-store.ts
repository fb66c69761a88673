import { type CommandMessage, type OrPutOffPorts, orPutOff } from '../../commands/use-cases/or-put-off.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { Store } from '../../stores/model.ts';
import { unknownStore } from '../../stores/rules/unknown-store.ts';
import {
  discardedFault,
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../stores/use-cases/for-connected-store.ts';
import type { ProductCommand, RowFault } from '../model.ts';
import { rejectionOfCommand } from '../rules/row-rejection.ts';

export type PerformForStorePorts = ForConnectedStorePorts & OrPutOffPorts & ReportRejectionsPorts;

/** What a message held, and what came of it. */
export interface Performed {
  /** Requests that brought an answer. */
  readonly requests: number;
  /** Rows, or whole commands, that broke a rule. */
  readonly rejected: number;
  /** Why the commands, or the rest of them, wait in their queue. */
  readonly putOff?: string;
  /** For how long so far, in milliseconds, where it is the marketplace that keeps it waiting. */
  readonly ageMs?: number;
}

/** What is to be done for commands. */
export interface StoreWork {
  readonly work: (store: Store) => Promise<Performed>;
  /** Drops what is left of commands that were discarded, for that reason. */
  readonly drop: (fault: RowFault) => Promise<Performed>;
}

/**
 * Does the work of a message's commands, all of one store, with its credentials. The commands of an unknown store, and
 * those that were discarded with all that waited for it, are rejected each by itself; what may be done later waits.
 *
 * Together they are as old as the newest of them: none is given up, or discarded, before its own time.
 */
export async function performForStore(
  ports: PerformForStorePorts,
  message: CommandMessage,
  commands: readonly [ProductCommand, ...ProductCommand[]],
  { work, drop }: StoreWork,
): Promise<Performed> {
  const [{ storeClientId }] = commands;
  const time = Math.max(...commands.map((command) => command.time));
  const done = await orPutOff(ports, { message, time }, () =>
    forConnectedStore(ports, storeClientId, work, time).catch((error) => drop(discardedFault(error))),
  );
  if (done !== undefined) return { requests: 0, rejected: 0, ...done };
  return rejectCommands(ports, commands, unknownStore(storeClientId));
}

/** Rejects each command by itself, whole. */
async function rejectCommands(
  ports: ReportRejectionsPorts,
  commands: readonly ProductCommand[],
  fault: RowFault,
): Promise<Performed> {
  await reportRejections(
    ports,
    commands.map((command) => rejectionOfCommand(command, fault)),
  );
  return { requests: 0, rejected: commands.length };
}
