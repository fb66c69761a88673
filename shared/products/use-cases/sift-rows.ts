import { type CommandStep, stepKey } from '../../commands/model.ts';
import { sifted } from '../../commands/rules/steps.ts';
import { type ReportRefusedPorts, reportRefused } from '../../commands/use-cases/report-refused.ts';
import type { CommandRow } from '../model.ts';
import { type FaultyRow, warehousesNamedBy } from '../rules/check-in-store.ts';
import { rejectionOfRow } from '../rules/row-rejection.ts';
import type { BulkRequest } from './bulk-requests.ts';

/**
 * The rows of a request that its store can take; the others are rejected by themselves. They are told apart once, before
 * anything of the request is sent or dropped: its halves must hold the same rows at each delivery, whatever becomes of
 * the store's warehouses, and a row that was told to be rejected must not be sent.
 *
 * @param judge finds the faulty rows by the warehouses that rows name; asked only where nobody has told them apart yet.
 */
export async function siftRows(
  ports: ReportRefusedPorts,
  request: BulkRequest,
  judge: (named: readonly string[]) => Promise<readonly FaultyRow[]>,
): Promise<readonly CommandRow[]> {
  const { rows } = request;
  const named = warehousesNamedBy(rows);
  if (named.length === 0) return rows;
  const known = await ports.commands.update(keyOf(request), () => undefined);
  const step = known ?? (await tellApart(ports, request, await judge(named)));
  await reportRefused(ports, step);
  return rows.filter((_, index) => !step?.leftOut?.includes(index));
}

async function tellApart(
  { commands, clock }: ReportRefusedPorts,
  request: BulkRequest,
  faulty: readonly FaultyRow[],
): Promise<CommandStep | undefined> {
  const key = keyOf(request);
  const next = { commandId: key, attemptId: key, at: new Date(clock.now()).toISOString() };
  const leftOut = faulty.map(({ row, fault }) => ({
    index: request.rows.indexOf(row),
    rejection: rejectionOfRow(row, fault),
  }));
  return commands.update(key, (current) => sifted(current, next, leftOut));
}

function keyOf({ pack, operation, part }: BulkRequest): string {
  return stepKey(pack.storeClientId, pack.packId, `rejections#${operation.kind}#${part}`);
}
