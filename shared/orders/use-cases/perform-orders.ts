import { chunk } from '../../collections/chunk.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { StoreCredentials } from '../../stores/model.ts';
import type { OrderCommand, RowOutcome } from '../model.ts';
import { rejectionOfOrder } from '../rules/order-rejection.ts';
import { readRows } from '../rules/read-rows.ts';
import { type SendOrdersPorts, sendOrders } from './send-orders.ts';

export interface PerformOrdersPorts extends SendOrdersPorts {
  /** Orders per request at most. */
  readonly itemsPerRequest: number;
}

/**
 * Decides orders (§4.16) or requests their dropoff (§4.17). Rows that break a rule are rejected by themselves, the
 * others go out in bulk, each order once.
 *
 * @returns what became of each row, in their order.
 * @throws {MarketplaceError} when the rest of the command is to be done by a later delivery, or the store's
 * credentials are refused (AUTH_014).
 */
export async function performOrders(
  ports: PerformOrdersPorts,
  command: OrderCommand,
  store: StoreCredentials,
): Promise<RowOutcome[]> {
  const { rows, faulty } = readRows(command.action, command.items);
  await reportRejections(
    ports,
    faulty.map((row) => rejectionOfOrder(command, row, row)),
  );
  const outcomes = faulty.map(
    ({ index, code, message }): RowOutcome => ({ index, state: 'rejected', code, message }),
  );
  for (const part of chunk(rows, ports.itemsPerRequest)) {
    outcomes.push(...(await sendOrders(ports, command, store, part)));
  }
  return outcomes.toSorted((a, b) => a.index - b.index);
}
