import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { decisionReport } from '../../marketplace/batch.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { OrderAction } from '../../marketplace/fields.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { OrderDecisions } from '../../marketplace/orders.ts';
import type { RecordAttempt, RequestToSend } from '../../requests/domain.ts';
import { ABANDONED, hadNoEffect, NotYetError } from '../../requests/rules/deferral.ts';
import { endedUnknown, hasEnded, isInFlight } from '../../requests/rules/states.ts';
import { applyRequest } from '../../requests/use-cases/run-request.ts';
import type { EpochMs } from '../../time/times.ts';
import { type ActionRecord, actionOf, type OrderReference, orderKeyOf, referenceOf } from '../model.ts';
import type { OrderEndPorts, OrderPorts } from '../ports.ts';
import * as actions from '../rules/order-action.ts';
import { type PlannedOrder, plannedOrderSchema } from '../rules/plan-orders.ts';
import {
  type JudgedRow,
  type OrderAnswer,
  type OrderReport,
  orderReportSchema,
  reportOfRefusal,
} from '../rules/request-ends.ts';
import { applyOrders } from './apply-orders.ts';

/** A command with locked orders is redelivered after this time. */
const BUSY_MS = 3_000;

/**
 * Judges each order of a request. Locks the orders that may be sent, records them as `sending`, and sends them. The verdicts are
 * stored with the request: every later step uses them.
 *
 * @throws {NotYetError} ORDERS_BUSY while another request has locked an order.
 * @throws {MarketplaceError} of the call. If the call certainly had no effect, the orders are released.
 */
export async function sendOrders(
  ports: OrderPorts,
  request: RequestToSend,
  recordAttempt: RecordAttempt,
): Promise<OrderAnswer> {
  const orders = request.items.map((item) => plannedOrderSchema.parse(item));
  const { attemptLifetimeMs } = ports;
  const now = ports.clock.now();
  try {
    const rows = await lockOrders(ports, request, orders, now);
    const sent = orders.filter((_, position) => rows[position]?.verdict === 'sent');
    if (sent.length === 0) return { rows };
    const onAttempt: NonNullable<CallOptions['onAttempt']> = async (attempt) => {
      const landsBy = attempt.signedAt + attemptLifetimeMs;
      if (landsBy > actions.lockedUntil({ now, attemptLifetimeMs }))
        throw busyOrders('their locks would expire too early');
      await recordAttempt(attempt, { rows } satisfies OrderAnswer);
    };
    return { rows, report: await call(ports.calls, request, sent, onAttempt) };
  } catch (error) {
    // Ignore a failed release, as the locks expire: a request without an effect must not become unknown.
    if (hadNoEffect(error)) await releaseOrders(ports, request, orders).catch(() => undefined);
    throw error;
  }
}

async function call(
  calls: OrderPorts['calls'],
  { store, record }: RequestToSend,
  sent: readonly PlannedOrder[],
  onAttempt: NonNullable<CallOptions['onAttempt']>,
): Promise<OrderReport> {
  const options = { onAttempt };
  const decisions = sent.map(({ retry: _, ...item }) => item) as OrderDecisions['items'];
  const items = sent.map(referenceOf);
  try {
    // §4.16 shows no outcome per order. If the answer has some, they are read like the outcomes of dropoffs.
    const answer =
      record.kind === 'order-decision'
        ? decisionReport.parse(await calls.decideOrders(store, { items: decisions }, options))
        : await calls.requestDropoffs(store, { items }, options);
    return orderReportSchema.parse(answer);
  } catch (error) {
    const report = error instanceof MarketplaceError ? reportOfRefusal(error, items) : undefined;
    if (report === undefined) throw error;
    return report;
  }
}

/** @throws {NotYetError} ORDERS_BUSY */
async function lockOrders(
  ports: OrderPorts,
  request: RequestToSend,
  orders: readonly PlannedOrder[],
  now: EpochMs,
): Promise<JudgedRow[]> {
  const verdicts = new Map<number, JudgedRow>();
  await forEachConcurrently([...orders.entries()], AT_A_TIME, async ([position, order]) => {
    const row = await lockOrder(ports, request, { position, order, now });
    if (row !== undefined) verdicts.set(position, row);
  });
  if (verdicts.size < orders.length)
    throw busyOrders(`another request about ${orders.length - verdicts.size} of them may still land`);
  return orders.flatMap((_, position) => verdicts.get(position) ?? []);
}

/** @returns `undefined` for an order that another request has locked. */
async function lockOrder(
  ports: OrderPorts,
  { record, senderId }: RequestToSend,
  {
    position,
    order,
    now,
  }: { readonly position: number; readonly order: PlannedOrder; readonly now: EpochMs },
): Promise<JudgedRow | undefined> {
  const { storeClientId, recordId } = record;
  const { retry = false, ...item } = order;
  const { commandId = '' } = record.commands[record.rows[position]?.command ?? 0] ?? {};
  const { attemptLifetimeMs } = ports;
  const claim = { ...item, recordId, senderId, commandId, retry, now, attemptLifetimeMs };
  const key = { storeClientId, orderKey: orderKeyOf(order), action: actionOf(record.kind) };
  let { judged, action } = await claimOrder(ports, key, claim);
  if (judged === 'abandoned') {
    await endAbandoned(ports, key, action);
    ({ judged } = await claimOrder(ports, key, claim));
  }
  return typeof judged === 'string' ? undefined : judged;
}

async function claimOrder(
  { orders }: OrderPorts,
  { storeClientId, orderKey, action }: OrderActionKey,
  claim: actions.Claim & OrderReference,
): Promise<{ judged: ReturnType<typeof actions.judgeAction>; action: ActionRecord | undefined }> {
  let judged: ReturnType<typeof actions.judgeAction> = 'busy';
  const order = await orders.update(storeClientId, orderKey, (current) => {
    judged = actions.judgeAction(current?.[action], claim);
    if (typeof judged === 'string' || judged.verdict !== 'sent') return undefined;
    const sending = actions.claimed(current?.[action], claim);
    return { storeClientId, orderKey, ...referenceOf(claim), ...current, [action]: sending };
  });
  return { judged, action: order?.[action] };
}

async function releaseOrders(
  { orders }: OrderPorts,
  { record: { storeClientId, kind }, senderId }: RequestToSend,
  released: readonly PlannedOrder[],
): Promise<void> {
  await forEachConcurrently(released, AT_A_TIME, async (order) => {
    await orders.update(storeClientId, orderKeyOf(order), (current) =>
      actions.withdrawn(current, actionOf(kind), senderId),
    );
  });
}

export interface OrderActionKey {
  readonly storeClientId: string;
  readonly orderKey: string;
  readonly action: OrderAction;
}

/**
 * Ends an action that a stopped sender left as `sending`, once its lock has expired. The request's record has the
 * outcome. If the request was never sent, the action is withdrawn.
 */
export async function endAbandoned(
  ports: OrderEndPorts,
  { storeClientId, orderKey, action }: OrderActionKey,
  abandoned: ActionRecord | undefined,
): Promise<void> {
  if (abandoned?.state !== 'sending') return;
  const { requests, attemptLifetimeMs } = ports;
  const { recordId, lock } = abandoned;
  const now = ports.clock.now();
  if (lock.until > now) return;
  const found = await requests.get(recordId);
  if (found !== undefined && isInFlight(found, { attemptLifetimeMs, now })) return;
  const record = await (found?.state === 'sent'
    ? requests.update(recordId, (current) => endedUnknown(current, ABANDONED))
    : found);
  if (record !== undefined && hasEnded(record) && record.state !== 'split' && record.appliedAt === undefined)
    await applyRequest(ports, { apply: (request) => applyOrders(ports, request) }, record);
  else if (record?.state !== 'sent')
    await ports.orders.update(storeClientId, orderKey, (current) =>
      actions.withdrawn(current, action, lock.holder),
    );
}

function busyOrders(why: string): NotYetError {
  const message = `orders of the request can't be sent now: ${why}`;
  return new NotYetError(message, { code: 'ORDERS_BUSY', delayMs: BUSY_MS });
}
