import type { RequestArchive } from '../../batches/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import {
  type CommandKey,
  type CommandPlan,
  type CommandWait,
  type EndedCommand,
  planKey,
  type RequestRecord,
} from '../model.ts';
import type { RequestTable } from '../ports.ts';
import { plannedRejections } from './report-planned.ts';

export interface AwaitCommandPorts {
  readonly requests: Pick<RequestTable, 'get' | 'getPlans' | 'getWaits'>;
  readonly archive: Pick<RequestArchive, 'get'>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
}

/** A command that has not ended in time, with the reason why it waits, if known. It is still performed later. */
interface OpenCommand {
  readonly wait?: CommandWait | undefined;
}

const FIRST_LOOK_MS = 250;
const LONGEST_BETWEEN_LOOKS_MS = 1_000;

/** Waits for the end of a queued command. Returns at once if the command's next delivery is after `until`. */
export async function awaitCommand(
  ports: AwaitCommandPorts,
  command: CommandKey,
  until: EpochMs,
): Promise<EndedCommand | OpenCommand> {
  const { requests, clock } = ports;
  const key = planKey(command);
  let wait: CommandWait | undefined;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_BETWEEN_LOOKS_MS)) {
    const leftMs = until - clock.now();
    if (leftMs <= 0 || (wait !== undefined && Date.parse(wait.nextAt) > until)) return { wait };
    await clock.sleep(Math.min(pauseMs, leftMs));
    const plan = (await requests.getPlans([key])).get(key);
    const ended = plan && (await endOf(ports, plan));
    if (ended !== undefined) return ended;
    wait = (await requests.getWaits([key])).get(key);
  }
}

async function endOf(ports: AwaitCommandPorts, plan: CommandPlan): Promise<EndedCommand | undefined> {
  const { fault, rejectionsKey, reportedAt, recordIds } = plan;
  const isReported = reportedAt !== undefined || (fault === undefined && rejectionsKey === undefined);
  if (!isReported) return undefined;
  const requests = await endedRequests(ports, recordIds);
  if (requests === undefined) return undefined;
  const rejections = await plannedRejections(ports.archive, plan);
  return { requests, rejections, ...(fault !== undefined && { fault }) };
}

/** The requests of a command. A split request is replaced by its halves. `undefined` while something is left to do. */
export async function endedRequests(
  { requests }: { readonly requests: Pick<RequestTable, 'get'> },
  recordIds: readonly string[],
): Promise<RequestRecord[] | undefined> {
  const ended: RequestRecord[] = [];
  for (const recordId of recordIds) {
    const record = await requests.get(recordId);
    if (record?.appliedAt === undefined) return undefined;
    const parts = record.halves ? await endedRequests({ requests }, record.halves) : [record];
    if (parts === undefined) return undefined;
    ended.push(...parts);
  }
  return ended;
}
