import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { createEventTap, type EventTap } from '../../local/run/event-tap.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';

const storeClientId = 'store-1wh';
const DECISIONS = '/partner/stores/orders/decisions';
const DROPOFFS = '/partner/stores/orders/dropoffs';

let run: ConnectorRun;
let sandbox: SandboxControls;
let tap: EventTap;

beforeAll(async () => {
  run = await startQuickRun();
  if (run.controls === undefined) throw new Error('the marketplace is no sandbox');
  sandbox = run.controls;
  tap = await createEventTap(run.local);
});

beforeEach(() => sandbox.clearFaults());

afterAll(async () => {
  await tap?.close();
  await run?.[Symbol.asyncDispose]();
});

const makeOrder = (subStatus: string) => sandbox.createOrder({ storeClientId, subStatus });

const command = (action: 'decision' | 'dropoff', commandId: string, items: readonly object[], more = {}) => ({
  detailType: `order.${action}.requested`,
  detail: { storeClientId, commandId, items, ...more },
});

const eventOf = (detailType: string, commandId: string) =>
  until(`${detailType} of ${commandId}`, async () =>
    (await tap.events()).find(
      (event) => event['detail-type'] === detailType && event.detail.commandId === commandId,
    ),
  );

const orderHere = async (orderId: string) =>
  (await run.partner.callApi('GET', `/stores/${storeClientId}/orders?orderId=${orderId}`)).body;

/** The order once its action has this outcome: the marketplace has it before the answer is applied. */
const orderWith = (orderId: string, action: 'decision' | 'dropoff', state: string) =>
  until(`a ${action} that is ${state}`, async () => {
    const order = await orderHere(orderId);
    return order[action]?.state === state && order;
  });

describe('order.decision.requested', () => {
  test('decides each order once, however often and in whatever order its event arrives', async () => {
    const orders = await Promise.all(Array.from({ length: 30 }, () => makeOrder('pending')));
    await sandbox.addFault({ path: DECISIONS, times: 2, fault: { status: 503, code: 'SYS_DEP_503' } });
    await sandbox.addFault({ path: DECISIONS, times: 2, fault: { retryAfter: 1 } });
    const events = orders.flatMap(({ orderId }, index) => {
      const once = command('decision', `each-${index}`, [{ orderId, decision: 'accept' }]);
      return [once, once, command('decision', `again-${index}`, [{ orderId, decision: 'accept' }])];
    });
    const shuffled = events
      .map((event, index) => ({ event, place: (index * 37) % events.length }))
      .sort((a, b) => a.place - b.place)
      .map(({ event }) => event);
    await run.partner.putEvents(shuffled);
    const decided = await until(
      'every decision',
      async () => {
        const seen = await Promise.all(orders.map(({ orderId }) => sandbox.order(orderId)));
        return seen.every(({ decisions }) => decisions.length > 0) && seen;
      },
      { withinMs: 60_000, everyMs: 200 },
    );
    expect(decided.map(({ decisions }) => decisions.length)).toEqual(Array(30).fill(1));
    expect(await orderWith(orders[0]?.orderId ?? '', 'decision', 'accepted')).toMatchObject({
      decision: { decision: 'accept' },
    });
  });

  test('rejects a decision that contradicts an earlier one', async () => {
    const { orderId } = await makeOrder('pending');
    await run.partner.putEvents([command('decision', 'first', [{ orderId, decision: 'reject' }])]);
    await eventOf('orders.decided', 'first');
    await run.partner.putEvents([command('decision', 'second', [{ orderId, decision: 'accept' }])]);
    expect(await eventOf('rows.rejected', 'second')).toMatchObject({
      detail: { rows: [{ code: 'ORDER_DECIDED_OTHERWISE', orderId, rowIndex: 0 }] },
    });
    expect((await sandbox.order(orderId)).decisions).toMatchObject([{ decision: 'reject' }]);
  });

  test('rejects invalid rows one by one and sends the others', async () => {
    const { orderId } = await makeOrder('pending');
    const unknown = '10000000-0000-4000-8000-00000000dead';
    const items = [
      { orderId, invoiceNumber: 'INV', decision: 'accept' },
      { orderId: unknown, decision: 'accept' },
      { orderId, decision: 'accept' },
    ];
    await run.partner.putEvents([command('decision', 'mixed', items)]);
    expect(await eventOf('orders.decided', 'mixed')).toMatchObject({ detail: { orders: [{ orderId }] } });
    const rows = (await tap.events())
      .filter((event) => event['detail-type'] === 'rows.rejected' && event.detail.commandId === 'mixed')
      .flatMap((event) => event.detail.rows);
    expect(rows).toMatchObject([
      { code: 'ROW_INVALID', rowIndex: 0 },
      { code: 'ORDER_001', rowIndex: 1, orderId: unknown },
    ]);
  });

  test('sends an order with an unknown outcome again only on an explicit retry', async () => {
    const { orderId } = await makeOrder('pending');
    const item = { orderId, decision: 'accept' };
    await sandbox.addFault({ path: DECISIONS, fault: { drop: 'before' } });
    await run.partner.putEvents([command('decision', 'lost', [item])]);
    expect(await eventOf('orders.unknown', 'lost')).toMatchObject({
      detail: { action: 'decision', orders: [item] },
    });
    await run.partner.putEvents([command('decision', 'impatient', [item])]);
    expect(await eventOf('rows.rejected', 'impatient')).toMatchObject({
      detail: { rows: [{ code: 'ORDER_OUTCOME_UNKNOWN' }] },
    });
    expect((await sandbox.order(orderId)).decisions).toEqual([]);
    const unknown = await until('the order among those of unknown outcome', async () => {
      const { body } = await run.partner.callApi('GET', `/stores/${storeClientId}/orders/unknown?limit=500`);
      return body.orders.find((order: { orderId: string }) => order.orderId === orderId);
    });
    expect(unknown).toMatchObject({ decision: { state: 'unknown', decision: 'accept', commandId: 'lost' } });

    const path = `/stores/${storeClientId}/orders/retry`;
    // The answer need not wait for the lost request, which a slow machine may have outlived.
    const retried = await run.partner.callApi('POST', `${path}?wait=3`, { orderId, action: 'decision' });
    expect([200, 202]).toContain(retried.status);
    await until(
      'the retry, once the lost request can land no more',
      async () => (await orderHere(orderId)).decision.state === 'accepted',
      { withinMs: 60_000, everyMs: 1_000 },
    );
    expect((await sandbox.order(orderId)).decisions).toHaveLength(1);
    const again = await run.partner.callApi('POST', path, { orderId, action: 'decision' });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'ORDER_NOT_UNKNOWN' } } });
  });

  test('rejects a row with a name that its store does not use, and sends the others', async () => {
    const [one, other] = [await makeOrder('pending'), await makeOrder('pending')];
    const items = [
      { orderId: one.orderId, decision: 'accept' },
      { invoiceNumber: other.invoiceNumber, decision: 'accept' },
    ];
    await run.partner.putEvents([command('decision', 'both-names', items)]);
    expect(await eventOf('rows.rejected', 'both-names')).toMatchObject({
      detail: { rows: [{ code: 'NAME_KIND', rowIndex: 1 }] },
    });
    await eventOf('orders.decided', 'both-names');
    expect((await sandbox.order(other.orderId)).decisions).toEqual([]);
  });

  test('accepts an operator’s resolution of an unknown outcome', async () => {
    const { orderId } = await makeOrder('pending');
    const path = `/stores/${storeClientId}/orders`;
    await sandbox.addFault({ path: DECISIONS, fault: { drop: 'after' } });
    const lost = await run.partner.callApi('POST', `${path}/decisions`, {
      items: [{ orderId, decision: 'accept' }],
    });
    expect(lost.status).toBe(504);
    const word = { orderId, action: 'decision', outcome: 'accepted' };
    expect(await run.partner.callApi('POST', `${path}/resolve`, word)).toMatchObject({
      status: 200,
      body: { decision: { state: 'accepted' } },
    });
    expect((await run.partner.callApi('POST', `${path}/resolve`, word)).status).toBe(409);
    expect((await sandbox.order(orderId)).decisions).toHaveLength(1);
  });
});

describe('order.dropoff.requested', () => {
  test('ends as a batch that lists each skipped order with its reason', async () => {
    const [eligible, pending] = [await makeOrder('confirmed'), await makeOrder('pending')];
    const items = [{ orderId: eligible.orderId }, { orderId: pending.orderId }];
    await run.partner.putEvents([command('dropoff', 'both', items)]);
    const { detail } = await eventOf('batch.completed', 'both');
    const { body } = await run.partner.callApi('GET', `/batches/${detail.batchId}`);
    expect(body).toMatchObject({
      kind: 'dropoff',
      state: 'completed_with_errors',
      rows: { sent: 2, accepted: 1, rejected: 1, unknown: 0 },
      rejectedRows: [{ rowIndex: 1, code: 'STATUS_NOT_ALLOWED', orderId: pending.orderId }],
    });
    expect(await orderWith(pending.orderId, 'dropoff', 'rejected')).toMatchObject({
      dropoff: { code: 'STATUS_NOT_ALLOWED' },
    });
  });

  test('keeps the reasons when no order is eligible (ORDER_026)', async () => {
    const { orderId } = await makeOrder('cancelled');
    await run.partner.putEvents([command('dropoff', 'none', [{ orderId }])]);
    const { detail } = await eventOf('batch.completed', 'none');
    expect(detail).toMatchObject({ state: 'failed', rows: { sent: 1, rejected: 1 } });
    await orderWith(orderId, 'dropoff', 'rejected');
    const path = `/stores/${storeClientId}/orders/dropoffs`;
    const answer = await run.partner.callApi('POST', path, { items: [{ orderId }] });
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'ORDER_026' } } });
  });

  test('is requested once, although the answer is malformed and the event is redelivered', async () => {
    const { orderId } = await makeOrder('confirmed');
    await sandbox.addFault({ path: DROPOFFS, fault: { malformed: true } });
    const event = command('dropoff', 'broken', [{ orderId }]);
    await run.partner.putEvents([event]);
    await eventOf('orders.unknown', 'broken');
    await run.partner.putEvents([event, command('dropoff', 'other', [{ orderId }])]);
    await eventOf('rows.rejected', 'other');
    expect((await sandbox.order(orderId)).dropoffs).toHaveLength(1);
  });
});

test('no function lacks a permission while it handles orders', () => {
  expect(run.local.accessDenied).toEqual([]);
});
