import { chunk } from '../../collections/chunk.ts';
import { RequestTime } from '../../commands/request-time.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { OrderCommand, RowOutcome } from '../model.ts';
import { rejectionOfOrder } from '../rules/order-rejection.ts';
import { readRows } from '../rules/read-rows.ts';
import { type RepeatedRow, splitRepeated } from '../rules/repeated-rows.ts';
import { CONFLICT } from '../rules/turned-away.ts';
import { reportRows } from './report-rows.ts';
import { reportRejectedRows } from './report-unsent.ts';
import { type SendOrdersPorts, sendOrders } from './send-orders.ts';

export interface PerformOrdersPorts extends SendOrdersPorts {
  /** Orders per request at most. */
  readonly itemsPerRequest: number;
}

/**
 * Decides orders (§4.16) or requests their dropoff (§4.17). Rows that break a rule are rejected by themselves, as are
 * those that decide otherwise what an earlier row decides; the others go out in bulk, each order once. Which orders
 * share a request is the same at every delivery, whatever is left of them.
 *
 * @param stopAt epoch ms from which no further request is begun once one has ended; default never.
 * @returns what became of each row that the command has left, in their order.
 * @throws {MarketplaceError} when the rest of the command is to be done by a later delivery, or the store's
 * credentials are refused (AUTH_014).
 */
export async function performOrders(
  ports: PerformOrdersPorts,
  command: OrderCommand,
  store: StoreCredentials,
  stopAt = Number.POSITIVE_INFINITY,
): Promise<RowOutcome[]> {
  const isLeft = ({ index }: { index: number }) => command.rowsLeft?.has(index) ?? true;
  const { rows, ...read } = readRows(command.action, command.items);
  const faulty = read.faulty.filter(isLeft);
  const { firsts, repeated } = splitRepeated(rows);
  await reportRows(
    ports,
    command,
    faulty.map((row) => rejectionOfOrder(command, row, row)),
  );
  const outcomes = faulty.map(
    ({ index, code, message }): RowOutcome => ({ index, state: 'rejected', code, message }),
  );
  const time = new RequestTime(ports.clock, stopAt);
  for (const part of chunk(firsts, ports.itemsPerRequest)) {
    outcomes.push(...(await sendOrders(ports, { command, store, time, rows: part.filter(isLeft) })));
  }
  const left = repeated.filter(({ row }) => isLeft(row));
  const repeats = left.flatMap((repeat) => repeatedOutcome(repeat, outcomes));
  await reportRejectedRows(ports, command, repeats);
  return [...outcomes, ...repeats].toSorted((a, b) => a.index - b.index);
}

/** The outcome of the row that a row repeats, unless they differ; what that row has done was done before. */
function repeatedOutcome({ row, first }: RepeatedRow, outcomes: readonly RowOutcome[]): RowOutcome[] {
  const { index } = row;
  if (row.item.decision !== first.item.decision) return [{ index, state: 'rejected', ...CONFLICT }];
  const outcome = outcomes.find((candidate) => candidate.index === first.index);
  if (outcome === undefined) return [];
  return [{ ...outcome, index, state: outcome.state === 'done' ? 'done before' : outcome.state }];
}
