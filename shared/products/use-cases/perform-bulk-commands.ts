import { stepKey } from '../../commands/model.ts';
import { type ReportOncePorts, reportOnce } from '../../commands/use-cases/report-once.ts';
import { dropStep } from '../../commands/use-cases/run-step.ts';
import type { Store } from '../../stores/model.ts';
import { storeWarehouses } from '../../stores/use-cases/store-warehouses.ts';
import type { Clock } from '../../time/clock.ts';
import type { CommandPack, CommandRow, RowFault } from '../model.ts';
import { checkInStore, warehousesNamedBy } from '../rules/check-in-store.ts';
import { type CheckedRows, checkRows } from '../rules/check-rows.ts';
import { rejectionOfRow } from '../rules/row-rejection.ts';
import { type BulkRequest, halvesOf, requestsOf, stepOf } from './bulk-requests.ts';
import { finishStep } from './finish-step.ts';
import type { Performed } from './perform-for-store.ts';
import { type SubmitRowsPorts, submitRows } from './submit-rows.ts';

export interface PerformBulkCommandPorts extends SubmitRowsPorts, ReportOncePorts {
  readonly clock: Clock;
  /** Products per request at most. */
  readonly itemsPerRequest: number;
}

/**
 * Syncs or creates the products of a pack's commands: rows that break a rule are rejected by themselves, the others go
 * out in requests of products of one shape. Commands that come again go on where they were left.
 *
 * @throws {MarketplaceError} when the rest of the command is to be done by a later delivery, or the store's
 * credentials are refused (AUTH_014).
 */
export async function performBulkCommands(
  ports: PerformBulkCommandPorts,
  pack: CommandPack,
  store: Store,
): Promise<Performed> {
  const { good, faulty } = checkRows(pack.commands);
  const result = { requests: 0, rejected: await rejectFaulty(ports, pack, faulty) };
  for (const request of requestsOf(ports, pack, good)) {
    const rows = await takenByStore(ports, store, request);
    result.rejected += request.rows.length - rows.length;
    if (rows.length > 0) result.requests += await submitRows(ports, { ...request, store, rows });
  }
  return result;
}

/**
 * Drops what is left of a pack's commands: rows that surely were not sent yet are rejected by themselves. What was sent
 * keeps its outcome; what may have been is left to the sweeper, which reads it back.
 *
 * @param fault why they are dropped.
 */
export async function dropBulkCommands(
  ports: PerformBulkCommandPorts,
  pack: CommandPack,
  fault: RowFault,
): Promise<Performed> {
  const { good, faulty } = checkRows(pack.commands);
  let rejected = await rejectFaulty(ports, pack, faulty);
  for (const request of requestsOf(ports, pack, good)) rejected += await dropRows(ports, request, fault);
  return { requests: 0, rejected };
}

async function dropRows(
  ports: PerformBulkCommandPorts,
  request: BulkRequest,
  fault: RowFault,
): Promise<number> {
  const own = stepOf(request);
  const rejections = request.rows.map((row) => rejectionOfRow(row, fault));
  const step = await dropStep(ports, own, rejections);
  if (step?.state === 'answered') await finishStep(ports, step, own.sent);
  if (step?.state !== 'divided') return step?.rejections?.length ?? 0;
  const [first, second] = halvesOf(request);
  return (await dropRows(ports, first, fault)) + (await dropRows(ports, second, fault));
}

/** Reports the rows that break a rule. */
async function rejectFaulty(
  ports: ReportOncePorts,
  { storeClientId, packId }: CommandPack,
  faulty: CheckedRows['faulty'],
): Promise<number> {
  const rejections = faulty.map(({ row, fault }) => rejectionOfRow(row, fault));
  await reportOnce(ports, stepKey(storeClientId, packId, 'rejections'), rejections);
  return rejections.length;
}

/**
 * The rows that the store can take; the others are rejected. Asked for each request, after the rows were told apart
 * into requests: what a request holds must not change with the store's warehouses from one delivery to the next.
 */
async function takenByStore(
  ports: PerformBulkCommandPorts,
  store: Store,
  { pack, operation, part, rows }: BulkRequest,
): Promise<readonly CommandRow[]> {
  const named = warehousesNamedBy(rows);
  if (named.length === 0) return rows;
  const { calls: marketplace, stores, clock } = ports;
  const warehouses = await storeWarehouses({ marketplace, stores, clock }, store, named);
  const { good, faulty } = checkInStore(rows, warehouses);
  await reportOnce(
    ports,
    stepKey(pack.storeClientId, pack.packId, `rejections#${operation.kind}#${part}`),
    faulty.map(({ row, fault }) => rejectionOfRow(row, fault)),
  );
  return good;
}
