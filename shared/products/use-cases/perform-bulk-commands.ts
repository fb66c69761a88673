import { outOfTime, type RequestTime } from '../../commands/request-time.ts';
import type { ReportOncePorts } from '../../commands/use-cases/report-once.ts';
import type { Store } from '../../stores/model.ts';
import { storeWarehouses } from '../../stores/use-cases/store-warehouses.ts';
import type { Clock } from '../../time/clock.ts';
import type { CommandPack } from '../model.ts';
import { faultyInStore } from '../rules/check-in-store.ts';
import { checkRows } from '../rules/check-rows.ts';
import { requestsOf } from './bulk-requests.ts';
import type { Performed } from './perform-for-store.ts';
import { rejectFaulty } from './reject-faulty.ts';
import { siftRows } from './sift-rows.ts';
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
 * @throws {ConnectorError} OUT_OF_TIME when requests are left when the time is over.
 * @throws {MarketplaceError} when the rest of the command is to be done by a later delivery, or the store's
 * credentials are refused (AUTH_014).
 */
export async function performBulkCommands(
  ports: PerformBulkCommandPorts,
  pack: CommandPack,
  store: Store,
  time: RequestTime,
): Promise<Performed> {
  const { good, faulty } = checkRows(pack.commands);
  const result = { requests: 0, rejected: await rejectFaulty(ports, pack, faulty) };
  for (const request of requestsOf(ports, pack, good)) {
    if (time.isOver) throw outOfTime(pack.packId);
    const rows = await siftRows(ports, request, async (named) => {
      const { calls: marketplace, stores, clock } = ports;
      return faultyInStore(request.rows, await storeWarehouses({ marketplace, stores, clock }, store, named));
    });
    result.rejected += request.rows.length - rows.length;
    if (rows.length > 0) result.requests += await submitRows(ports, { ...request, store, time, rows });
  }
  return result;
}
