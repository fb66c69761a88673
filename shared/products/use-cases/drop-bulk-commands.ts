import type { ReportOncePorts } from '../../commands/use-cases/report-once.ts';
import { dropStep } from '../../commands/use-cases/run-step.ts';
import type { CommandPack, RowFault } from '../model.ts';
import { checkRows } from '../rules/check-rows.ts';
import { rejectionOfRow } from '../rules/row-rejection.ts';
import { type BulkRequest, halvesOf, requestsOf, stepOf } from './bulk-requests.ts';
import { type FinishStepPorts, finishStep } from './finish-step.ts';
import type { Performed } from './perform-for-store.ts';
import { rejectFaulty } from './reject-faulty.ts';
import { siftRows } from './sift-rows.ts';

export interface DropBulkCommandsPorts extends FinishStepPorts, ReportOncePorts {
  /** Products per request at most. */
  readonly itemsPerRequest: number;
}

/**
 * Drops what is left of a pack's commands: rows that surely were not sent yet are rejected by themselves. What was sent
 * keeps its outcome; what may have been is left to the sweeper, which reads it back.
 *
 * @param fault why they are dropped.
 */
export async function dropBulkCommands(
  ports: DropBulkCommandsPorts,
  pack: CommandPack,
  fault: RowFault,
): Promise<Performed> {
  const { good, faulty } = checkRows(pack.commands);
  let rejected = await rejectFaulty(ports, pack, faulty);
  for (const request of requestsOf(ports, pack, good)) {
    const rows = await siftRows(ports, request, async () => []);
    rejected += request.rows.length - rows.length;
    if (rows.length > 0) rejected += await dropRows(ports, { ...request, rows }, fault);
  }
  return { requests: 0, rejected };
}

async function dropRows(
  ports: DropBulkCommandsPorts,
  request: BulkRequest,
  fault: RowFault,
): Promise<number> {
  const own = stepOf(request);
  const rejections = request.rows.map((row) => rejectionOfRow(row, fault));
  const step = await dropStep(ports, own, rejections);
  if (step?.state === 'answered') await finishStep(ports, step, own.sent);
  if (step?.state !== 'divided') return step?.rejections?.length ?? 0;
  const [first, second] = halvesOf({ ...request, uncertain: step.uncertain });
  return (await dropRows(ports, first, fault)) + (await dropRows(ports, second, fault));
}
