import * as z from 'zod';
import type { RequestArchive } from '../../batches/ports.ts';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { type Rejection, rejectionSchema } from '../../rejections/model.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { Domain } from '../domain.ts';
import { type Command, type CommandPlan, planKey } from '../model.ts';
import type { LedgerPorts } from '../ports.ts';
import { type CommandFault, rejectionOfCommand } from '../rules/rejection.ts';

const archivedRejections = z.array(rejectionSchema);

/**
 * Reports the rejections of stored plans that are not marked as reported. After a crash they are reported again, with the same IDs.
 *
 * @param plans the stored plans, by `planKey`. A plan whose rejections are reported now gets its `reportedAt` here too.
 * @returns the rejections that were reported now.
 */
export async function reportPlanned<C extends Command>(
  ports: LedgerPorts,
  domain: Pick<Domain<C>, 'reject'>,
  commands: readonly C[],
  plans: Map<string, CommandPlan>,
): Promise<ReadonlyMap<C, readonly Rejection[]>> {
  const reported = new Map<C, readonly Rejection[]>();
  const ofRows: Rejection[] = [];
  await forEachConcurrently(commands, AT_A_TIME, async (command) => {
    const { fault, rejectionsKey, reportedAt } = plans.get(planKey(command)) ?? {};
    if (reportedAt !== undefined) return;
    if (fault !== undefined) reported.set(command, [await reject(ports, domain, command, fault)]);
    if (rejectionsKey === undefined) return;
    const rejections = await plannedRejections(ports.archive, { rejectionsKey });
    reported.set(command, rejections);
    ofRows.push(...rejections);
  });
  await reportRejections(ports, ofRows);
  const at = new Date(ports.clock.now()).toISOString();
  await forEachConcurrently([...reported.keys()], AT_A_TIME, async (command) => {
    const key = planKey(command);
    await ports.requests.markReported(key, at);
    const plan = plans.get(key);
    if (plan !== undefined) plans.set(key, { ...plan, reportedAt: at });
  });
  return reported;
}

/** The rejections of rows that were rejected when the command was planned; none after the archive's retention. */
export async function plannedRejections(
  archive: Pick<RequestArchive, 'get'>,
  { rejectionsKey }: Pick<CommandPlan, 'rejectionsKey'>,
): Promise<Rejection[]> {
  return archivedRejections.parse((rejectionsKey && (await archive.get(rejectionsKey))) || []);
}

/** Reports a whole command as rejected. */
export async function reject<C extends Command>(
  ports: LedgerPorts,
  domain: Pick<Domain<C>, 'reject'>,
  command: C,
  fault: CommandFault,
): Promise<Rejection> {
  const rejection = (await domain.reject?.(command, fault)) ?? rejectionOfCommand(command, fault);
  if (domain.reject === undefined) await reportRejections(ports, [rejection]);
  return rejection;
}
