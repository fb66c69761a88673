import type { AttemptTable } from '../../attempts/ports.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { OrderCommand, OrderRow } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { type ClaimVerdict, claimed, ended, judgeClaim } from '../rules/claim.ts';
import { orderKeyOf, referenceOf } from '../rules/order-key.ts';
import { updateOrder } from './update-order.ts';

/** Records of orders that are read and written at a time. */
export const ORDERS_AT_A_TIME = 10;

export interface ClaimOrdersPorts {
  readonly orders: OrderTable;
  readonly attempts: Pick<AttemptTable, 'get'>;
  readonly clock: { now(): number };
}

/** A row with what its claim met; of an abandoned one, what was found out about it. */
export interface ClaimedRow {
  readonly row: OrderRow;
  readonly verdict: Exclude<ClaimVerdict, 'abandoned'> | 'lost';
  readonly batchId?: string | undefined;
}

/**
 * Claims the orders of a command for one attempt, so that nobody else sends them. An order whose sender is gone is
 * claimed anew if its request surely never left, as an attempt is recorded before it does; else its outcome is `lost`.
 *
 * @returns the rows in the order of `rows`.
 */
export async function claimOrders(
  ports: ClaimOrdersPorts,
  command: OrderCommand,
  rows: readonly OrderRow[],
  attemptId: string,
): Promise<ClaimedRow[]> {
  const results = new Map<number, ClaimedRow>();
  await forEachConcurrently(rows, ORDERS_AT_A_TIME, async (row) => {
    results.set(row.index, await claimOrder(ports, command, row, attemptId));
  });
  return rows.flatMap(({ index }) => results.get(index) ?? []);
}

async function claimOrder(
  ports: ClaimOrdersPorts,
  command: OrderCommand,
  row: OrderRow,
  attemptId: string,
): Promise<ClaimedRow> {
  const first = await tryClaim(ports, command, row, attemptId);
  if (first.verdict !== 'abandoned') return { ...first, verdict: first.verdict };
  if (!(await endAbandoned(ports, command, row, first.attemptId))) return { row, verdict: 'lost' };
  const second = await tryClaim(ports, command, row, attemptId);
  return { row, verdict: second.verdict === 'abandoned' ? 'busy' : second.verdict };
}

async function tryClaim(
  { orders, clock }: ClaimOrdersPorts,
  { action, storeClientId, commandId, retry }: OrderCommand,
  row: OrderRow,
  attemptId: string,
): Promise<{ row: OrderRow; verdict: ClaimVerdict; attemptId: string; batchId?: string | undefined }> {
  const orderKey = orderKeyOf(row.item);
  const wish = { ...row.item, commandId, attemptId, retry, now: clock.now() };
  let verdict: ClaimVerdict = 'busy';
  const record = await updateOrder(orders, storeClientId, orderKey, (current) => {
    verdict = judgeClaim(current?.[action], wish);
    if (verdict !== 'claimed') return undefined;
    return {
      storeClientId,
      orderKey,
      ...referenceOf(row.item),
      ...current,
      [action]: claimed(current?.[action], wish),
    };
  });
  const held = record?.[action];
  return { row, verdict, attemptId: held?.attemptId ?? attemptId, batchId: held?.batchId };
}

/** @returns whether the abandoned request surely never left. */
async function endAbandoned(
  { orders, attempts, clock }: ClaimOrdersPorts,
  { action, storeClientId }: OrderCommand,
  { item }: OrderRow,
  attemptId: string,
): Promise<boolean> {
  const attempt = await attempts.get(attemptId);
  const neverLeft = attempt === undefined || attempt.state === 'refused';
  const outcome = neverLeft
    ? ({ state: 'withdrawn' } as const)
    : ({
        state: 'unknown',
        code: 'ATTEMPT_ABANDONED',
        message: 'the sender ended before the answer',
      } as const);
  const at = new Date(clock.now()).toISOString();
  await updateOrder(orders, storeClientId, orderKeyOf(item), (current) => {
    const next = ended(current?.[action], attemptId, outcome, at);
    return current && next && { ...current, [action]: next };
  });
  return neverLeft;
}
