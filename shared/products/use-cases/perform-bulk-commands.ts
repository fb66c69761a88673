import { stepKey } from '../../commands/model.ts';
import { type ReportOncePorts, reportOnce } from '../../commands/use-cases/report-once.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import type { Store } from '../../stores/model.ts';
import { storeWarehouses } from '../../stores/use-cases/store-warehouses.ts';
import type { Clock } from '../../time/clock.ts';
import type { CommandPack, CommandRow } from '../model.ts';
import { checkInStore, warehousesNamedBy } from '../rules/check-in-store.ts';
import { checkRows } from '../rules/check-rows.ts';
import { rejectionOfRow } from '../rules/row-rejection.ts';
import { type BulkRequest, requestsOf } from './bulk-requests.ts';
import type { Performed } from './perform-for-store.ts';
import { rejectFaulty } from './reject-faulty.ts';
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
 * @param stopAt epoch ms from which no further request is begun after the first, so that every delivery gets on.
 * @throws {ConnectorError} OUT_OF_TIME when requests are left then.
 * @throws {MarketplaceError} when the rest of the command is to be done by a later delivery, or the store's
 * credentials are refused (AUTH_014).
 */
export async function performBulkCommands(
  ports: PerformBulkCommandPorts,
  pack: CommandPack,
  store: Store,
  stopAt: number,
): Promise<Performed> {
  const { good, faulty } = checkRows(pack.commands);
  const result = { requests: 0, rejected: await rejectFaulty(ports, pack, faulty) };
  for (const request of requestsOf(ports, pack, good)) {
    if (result.requests > 0 && ports.clock.now() >= stopAt) throw outOfTime(pack);
    const rows = await takenByStore(ports, store, request);
    result.rejected += request.rows.length - rows.length;
    if (rows.length > 0) result.requests += await submitRows(ports, { ...request, store, rows });
  }
  return result;
}

function outOfTime({ packId }: CommandPack): ConnectorError {
  return new ConnectorError(`what is left of ${packId} is for another invocation`, {
    code: 'OUT_OF_TIME',
    retryable: true,
  });
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
