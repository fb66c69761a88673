import type { AttemptTable } from '../../attempts/ports.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { EventPublisher } from '../../events/ports.ts';
import type { OrderCommand, OrderRecord, OrderRow } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { abandonedOutcome, LOST } from '../rules/abandoned.ts';
import { type ClaimVerdict, claimed, ended, judgeClaim } from '../rules/claim.ts';
import { orderKeyOf, referenceOf } from '../rules/order-key.ts';
import { CONFLICT, UNKNOWN, withTurnedAway } from '../rules/turned-away.ts';
import { reportUnknown } from './report-unknown.ts';
import { updateOrder } from './update-order.ts';

/** Records of orders that are read and written at a time. */
export const ORDERS_AT_A_TIME = 10;

export interface ClaimOrdersPorts {
  readonly orders: OrderTable;
  readonly attempts: Pick<AttemptTable, 'get'>;
  readonly events: EventPublisher;
  readonly clock: { now(): number };
}

/** A row with what its claim met, and the order as it stands. */
export interface ClaimedRow {
  readonly row: OrderRow;
  readonly verdict: Exclude<ClaimVerdict, 'abandoned'>;
  readonly order: OrderRecord | undefined;
}

/**
 * Claims the orders of a command for one attempt, so that nobody else sends them. What a sender who is gone left
 * behind is ended first; such an order is claimed if its request surely had no effect.
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
  if (first.verdict !== 'abandoned') return { row, ...first, verdict: first.verdict };
  if (first.order !== undefined) await endAbandoned(ports, command, first.order);
  const second = await tryClaim(ports, command, row, attemptId);
  return { row, ...second, verdict: second.verdict === 'abandoned' ? 'busy' : second.verdict };
}

async function tryClaim(
  { orders, clock }: ClaimOrdersPorts,
  { action, storeClientId, commandId, retry }: OrderCommand,
  row: OrderRow,
  attemptId: string,
): Promise<{ verdict: ClaimVerdict; order: OrderRecord | undefined }> {
  const orderKey = orderKeyOf(row.item);
  const wish = { ...row.item, commandId, attemptId, retry, now: clock.now() };
  let verdict: ClaimVerdict = 'busy';
  const order = await updateOrder(orders, storeClientId, orderKey, (current) => {
    const before = current?.[action];
    verdict = judgeClaim(before, wish);
    if (current && before && (verdict === 'conflict' || verdict === 'unknown')) {
      return { ...current, [action]: withTurnedAway(before, wish, REASON_OF[verdict]) };
    }
    if (verdict !== 'claimed') return undefined;
    return {
      storeClientId,
      orderKey,
      ...referenceOf(row.item),
      ...current,
      [action]: claimed(before, wish),
    };
  });
  return { verdict, order };
}

const REASON_OF = { conflict: CONFLICT, unknown: UNKNOWN } as const;

/** Tells of what is unknown from now on; a command that left it behind itself tells when it comes again. */
async function endAbandoned(
  ports: ClaimOrdersPorts,
  command: OrderCommand,
  order: OrderRecord,
): Promise<void> {
  const { action, storeClientId } = command;
  const { attemptId, commandId, decision } = order[action] ?? {};
  if (attemptId === undefined || commandId === undefined) return;
  const now = ports.clock.now();
  const attempt = await ports.attempts.get(attemptId);
  const outcome = abandonedOutcome(attempt, { order, action, now });
  await updateOrder(ports.orders, storeClientId, order.orderKey, (current) => {
    const holder = { attemptId, commandId, ...(decision && { decision }) };
    const next = ended(current?.[action], holder, outcome, new Date(now).toISOString());
    return current && next && { ...current, [action]: next };
  });
  if (outcome.state !== 'unknown' || commandId === command.commandId) return;
  const { code = LOST.code, message = LOST.message } = outcome;
  const item = { ...referenceOf(order), ...(decision && { decision }) };
  await reportUnknown(ports, { ...command, commandId }, [item], { code, message });
}
