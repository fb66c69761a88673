import { describe, expect, test } from 'vitest';
import { CLAIM_MS } from '../../../../shared/orders/rules/claim.ts';
import { fail } from '../../support/failure.ts';
import { NOW, orderDesk, orderIdOf, STORE } from '../order-desk.ts';

const orderId = orderIdOf(1);
const key = `orderId:${orderId}`;
const accept = { orderId, decision: 'accept' };
const reject = { orderId, decision: 'reject', reasonCode: 'OUT_OF_STOCK' };
const timeout = fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true });

describe('order.decision.requested', () => {
  test('goes out in bulk, as it came, and is kept per order and told on the bus', async () => {
    const desk = orderDesk();
    const byInvoice = { invoiceNumber: 'INV/1', decision: 'reject', reasonCode: 'X', reason: 'sold out' };
    expect(await desk.decide('c-1', [accept, byInvoice])).toEqual({
      storeClientId: STORE,
      commandId: 'c-1',
      action: 'decision',
      done: 2,
      rejected: 0,
      unknown: 0,
    });
    expect(desk.sent).toEqual([{ call: 'decideOrders', items: [accept, byInvoice] }]);
    expect(await desk.order(key)).toMatchObject({
      decision: { state: 'done', decision: 'accept', commandId: 'c-1' },
    });
    expect(await desk.order('invoiceNumber:INV/1')).toMatchObject({
      decision: { state: 'done', reasonCode: 'X' },
    });
    expect(desk.eventsOf('orders.decided')).toMatchObject([
      {
        detail: {
          orders: [
            { orderId, decision: 'accept' },
            { invoiceNumber: 'INV/1', decision: 'reject' },
          ],
        },
      },
    ]);
    expect([...desk.attempts.values()]).toMatchObject([{ state: 'answered', kind: 'order-decision' }]);
  });

  test('is not sent again once it was taken, by a redelivery or by another command, whatever the case of the ID', async () => {
    const desk = orderDesk();
    await desk.decide('c-1', [accept]);
    await desk.decide('c-1', [accept]);
    expect(await desk.decide('c-2', [{ orderId: orderId.toUpperCase(), decision: 'accept' }])).toMatchObject({
      done: 0,
      rejected: 0,
    });
    expect(desk.sent).toHaveLength(1);
  });

  test('is rejected when the order was decided otherwise', async () => {
    const desk = orderDesk();
    await desk.decide('c-1', [accept]);
    expect(await desk.decide('c-2', [reject])).toMatchObject({ done: 0, rejected: 1 });
    expect(desk.sent).toHaveLength(1);
    expect(desk.rejected()).toMatchObject([
      { code: 'ORDER_DECIDED_OTHERWISE', orderId, rowIndex: 0, commandId: 'c-2', field: 'detail.items.0' },
    ]);
  });

  test("rejects its faulty rows beside a dropoff's under the same ID", async () => {
    const desk = orderDesk();
    await desk.decide('c-1', [{ nonsense: 1 }]);
    await desk.dropOff('c-1', [{ nonsense: 1 }]);
    expect(desk.rejected().map(({ detailType }) => detailType)).toEqual([
      'order.decision.requested',
      'order.dropoff.requested',
    ]);
  });

  test.each([
    ['refused', {}],
    ['unknown', { outcome: 'unknown' as const }],
  ])(
    'keeps no more of what is said of an order whose outcome is %s than it has room for',
    async (state, of) => {
      const desk = orderDesk([fail({ code: 'ORDER_001', message: 'x'.repeat(500_000), ...of })]);
      await desk.decide('c-1', [accept]);
      const record = (await desk.order(key))?.decision;
      expect(record).toMatchObject({ state, message: expect.stringMatching(/^x{300}$/) });
    },
  );

  test('sends the first of two rows that decide one order differently, and rejects the other', async () => {
    const desk = orderDesk();
    expect(await desk.decide('c-1', [accept, reject])).toMatchObject({ done: 1, rejected: 1 });
    expect(desk.sent).toEqual([{ call: 'decideOrders', items: [accept] }]);
  });

  test.each([
    ['both identifiers', { ...accept, invoiceNumber: 'INV/1' }],
    ['no identifier', { decision: 'accept' }],
    ['an order ID that is no UUID', { orderId: 'o-1', decision: 'accept' }],
    ['another decision', { orderId, decision: 'maybe' }],
    ['a reason code with an acceptance', { ...accept, reasonCode: 'X' }],
    ['a field that the spec does not know', { ...accept, colour: 'red' }],
    ['no object', 'accept it'],
  ])('rejects a row with %s by itself', async (_, row) => {
    const desk = orderDesk();
    const good = { orderId: orderIdOf(2), decision: 'accept' };
    expect(await desk.decide('c-1', [row, good])).toMatchObject({ done: 1, rejected: 1 });
    expect(desk.sent).toEqual([{ call: 'decideOrders', items: [good] }]);
    expect(desk.rejected()).toMatchObject([{ code: 'ROW_INVALID', rowIndex: 0 }]);
    expect(desk.eventsOf('rows.rejected')).toHaveLength(1);
  });

  test('sends the first of several rows for one order every time, and gives the others its outcome', async () => {
    const refuse = fail({ code: 'ORDER_001' });
    const desk = orderDesk([refuse, refuse]);
    const other = { orderId: orderIdOf(2), decision: 'accept' };
    expect(await desk.decide('c-1', [accept, reject, accept, other])).toMatchObject({ done: 1, rejected: 3 });
    expect(await desk.decide('c-1', [accept, reject, accept, other])).toMatchObject({ rejected: 3 });
    expect(desk.sent.flatMap(({ items }) => items).filter((item) => item.decision === 'reject')).toEqual([]);
    expect(new Set(desk.rejected().map(({ rowIndex, code }) => `${rowIndex} ${code}`))).toEqual(
      new Set(['0 ORDER_001', '1 ORDER_DECIDED_OTHERWISE', '2 ORDER_001']),
    );
  });

  test('halves a request that is refused whole, down to the order at fault', async () => {
    const refuse = fail({ code: 'ORDER_001' });
    const good = orderIdOf(2);
    const desk = orderDesk([refuse, refuse]);
    const items = [accept, { orderId: good, decision: 'accept' }];
    expect(await desk.decide('c-1', items)).toMatchObject({ done: 1, rejected: 1 });
    expect(desk.rejected()).toMatchObject([{ code: 'ORDER_001', orderId, rowIndex: 0 }]);
    expect(await desk.order(key)).toMatchObject({ decision: { state: 'refused', code: 'ORDER_001' } });
    expect(await desk.order(`orderId:${good}`)).toMatchObject({ decision: { state: 'done' } });
  });

  test('may be given again, and otherwise, after the marketplace refused it', async () => {
    const desk = orderDesk([fail({ code: 'ORDER_001' })]);
    await desk.decide('c-1', [accept]);
    await desk.decide('c-1', [accept]);
    expect(desk.sent).toHaveLength(1);
    expect(await desk.decide('c-2', [reject])).toMatchObject({ done: 1 });
  });

  test('is sent again after a refusal that passes, and never twice after that', async () => {
    const busy = fail({ code: 'SYS_DEP_503', retryable: true });
    const desk = orderDesk([busy, busy]);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ done: 1 });
    expect(desk.sent).toHaveLength(3);
  });

  test('waits for a later delivery when refusals do not pass, and is then sent', async () => {
    const desk = orderDesk(Array.from({ length: 20 }, () => fail({ code: 'SYS_DEP_503', retryable: true })));
    expect(await desk.decide('c-1', [accept])).toMatchObject({ putOff: 'SYS_DEP_503' });
    expect(desk.later).toMatchObject([{ body: expect.stringContaining('event-of-c-1') }]);
    expect(await desk.order(key)).toMatchObject({ decision: { state: 'withdrawn' } });
    desk.replies.length = 0;
    expect(await desk.decide('c-1', [accept])).toMatchObject({ done: 1 });
  });

  test('tells of its rejected rows once, however often the others have to wait', async () => {
    const desk = orderDesk();
    await desk.decide('c-1', [accept]);
    const busy = fail({ code: 'SYS_DEP_503', retryable: true });
    desk.replies.push(...Array.from({ length: 60 }, () => busy));
    const rows = [{ nonsense: 1 }, reject, { orderId: orderIdOf(2), decision: 'accept' }];
    for (let delivery = 0; delivery < 4; delivery += 1) {
      expect(await desk.decide('c-2', rows)).toMatchObject({ putOff: 'SYS_DEP_503' });
    }
    const told = desk.eventsOf('rows.rejected').map(({ detail }) => detail);
    expect(told).toMatchObject([{ rows: [{ rowIndex: 0 }] }, { rows: [{ rowIndex: 1 }] }]);
  });

  test('tells of its rejected rows at the next delivery when its own was cut short', async () => {
    const desk = orderDesk();
    const { publish } = desk.ports.events;
    desk.ports.events.publish = async () => {
      throw new Error('killed');
    };
    await expect(desk.decide('c-1', [{ nonsense: 1 }])).rejects.toThrow('killed');
    desk.ports.events.publish = publish;
    await desk.decide('c-1', [{ nonsense: 1 }]);
    expect(desk.eventsOf('rows.rejected')).toHaveLength(1);
  });

  test('suspends a store whose credentials are refused, and waits', async () => {
    const desk = orderDesk([fail({ code: 'AUTH_014' })]);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ putOff: 'STORE_NOT_CONNECTED' });
    expect(desk.stores.get(STORE)?.state).toBe('suspended');
    expect(await desk.order(key)).toMatchObject({ decision: { state: 'withdrawn' } });
  });

  test('of an unknown store is rejected whole', async () => {
    const desk = orderDesk();
    expect(await desk.decide('c-1', [accept], { storeClientId: 's-9' })).toMatchObject({ rejected: 1 });
    expect(desk.rejected()).toMatchObject([{ code: 'STORE_UNKNOWN', storeClientId: 's-9' }]);
  });
});

describe('an unknown outcome', () => {
  test('is kept, told, and not sent again by redelivery', async () => {
    const desk = orderDesk([timeout]);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ done: 0, unknown: 1 });
    await desk.decide('c-1', [accept]);
    expect(desk.sent).toHaveLength(1);
    expect(await desk.order(key)).toMatchObject({ decision: { state: 'unknown', code: 'TIMEOUT' } });
    expect(desk.eventsOf('orders.unknown')).toMatchObject([
      { detail: { action: 'decision', code: 'TIMEOUT', orders: [{ orderId, decision: 'accept' }] } },
    ]);
    expect([...desk.attempts.values()]).toMatchObject([{ state: 'unknown' }]);
  });

  test('rejects a further command, and any other decision even as a retry', async () => {
    const desk = orderDesk([timeout]);
    await desk.decide('c-1', [accept]);
    await desk.decide('c-2', [accept]);
    await desk.decide('c-3', [reject], { retry: true });
    expect(desk.sent).toHaveLength(1);
    expect(desk.rejected().map(({ code }) => code)).toEqual([
      'ORDER_OUTCOME_UNKNOWN',
      'ORDER_DECIDED_OTHERWISE',
    ]);
  });

  test('is sent again by an explicit retry, once', async () => {
    const desk = orderDesk([timeout, timeout]);
    await desk.decide('c-1', [accept]);
    expect(await desk.decide('c-2', [accept], { retry: true })).toMatchObject({ unknown: 1 });
    await desk.decide('c-2', [accept], { retry: true });
    expect(desk.sent).toHaveLength(2);
    expect(await desk.decide('c-3', [accept], { retry: true })).toMatchObject({ done: 1 });
  });

  test('stays unknown when its retry had no effect, and goes on with that retry only', async () => {
    const down = Array.from({ length: 20 }, () => fail({ code: 'SYS_DEP_503', retryable: true }));
    const desk = orderDesk([timeout, ...down]);
    await desk.decide('c-1', [accept]);
    expect(await desk.decide('c-2', [accept], { retry: true })).toMatchObject({ putOff: 'SYS_DEP_503' });
    desk.replies.length = 0;
    expect(await desk.decide('c-3', [accept])).toMatchObject({ rejected: 1 });
    expect(desk.rejected()).toMatchObject([{ code: 'ORDER_OUTCOME_UNKNOWN', commandId: 'c-3' }]);
    const now = desk.ports.clock.now();
    expect((await desk.ports.orders.listUnknown(STORE, { now })).orders).toHaveLength(1);
    expect(await desk.decide('c-2', [accept], { retry: true })).toMatchObject({ done: 1 });
  });

  test('is told by the next delivery when its sender ended before it was', async () => {
    const desk = orderDesk([timeout]);
    const { publish } = desk.ports.events;
    desk.ports.events.publish = async () => {
      throw new Error('killed');
    };
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    desk.ports.events.publish = publish;
    await desk.decide('c-1', [accept]);
    await desk.decide('c-1', [accept]);
    expect(desk.eventsOf('orders.unknown')).toMatchObject([
      { detail: { commandId: 'c-1', code: 'TIMEOUT' } },
    ]);
  });

  test('is none when the sender noted the answer and ended before it was kept at the order', async () => {
    const desk = orderDesk();
    const { update } = desk.ports.orders;
    let writes = 0;
    desk.ports.orders.update = async (...args) => {
      writes += 1;
      if (writes > 1) throw new Error('killed');
      return update(...args);
    };
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    desk.ports.orders.update = update;

    expect(await desk.decide('c-1', [accept])).not.toHaveProperty('putOff');
    expect(desk.sent).toHaveLength(1);
    expect(await desk.order(key)).toMatchObject({ decision: { state: 'done' } });
    expect(desk.eventsOf('orders.decided')).toHaveLength(1);
  });

  test('is told by a later delivery when its sender ended between two looks of another one', async () => {
    const desk = orderDesk();
    const facts = { attemptId: 'attempt-0', commandId: 'c-1' };
    const rows = [{ rowIndex: 0, orderId }];
    const sent = { ...facts, storeClientId: STORE, kind: 'order-decision', rows, signedAt: NOW } as const;
    desk.attempts.set('attempt-0', { ...sent, state: 'sent' });
    const keep = (state: 'sending' | 'unknown') =>
      desk.ports.orders.update(STORE, key, () => ({
        storeClientId: STORE,
        orderKey: key,
        orderId,
        decision: { ...facts, state, startedAt: new Date(NOW).toISOString(), decision: 'accept' },
      }));
    await keep('sending');
    const { get } = desk.ports.attempts;
    desk.ports.attempts.get = async (attemptId) => {
      const attempt = await get(attemptId);
      await keep('unknown');
      return attempt;
    };
    expect(await desk.decide('c-1', [accept])).toMatchObject({ putOff: 'ORDERS_BUSY' });
    desk.ports.attempts.get = get;
    expect(await desk.decide('c-1', [accept])).toMatchObject({ unknown: 1 });
    expect(desk.eventsOf('orders.unknown')).toHaveLength(1);
  });

  test('is told under the command that left it behind when another command finds it', async () => {
    const desk = orderDesk([
      () => {
        throw new Error('killed');
      },
    ]);
    const { update } = desk.ports.orders;
    let writes = 0;
    desk.ports.orders.update = async (...args) => {
      writes += 1;
      if (writes > 1) throw new Error('killed');
      return update(...args);
    };
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    desk.ports.orders.update = update;
    desk.pass(CLAIM_MS);

    expect(await desk.decide('c-2', [accept])).toMatchObject({ rejected: 1 });
    expect(desk.eventsOf('orders.unknown')).toMatchObject([
      { detail: { commandId: 'c-1', code: 'ATTEMPT_ABANDONED', orders: [{ orderId, decision: 'accept' }] } },
    ]);
    expect(desk.rejected()).toMatchObject([{ commandId: 'c-2', code: 'ORDER_OUTCOME_UNKNOWN' }]);
    expect(await desk.decide('c-3', [accept], { retry: true })).toMatchObject({ done: 1 });
  });

  test('stays for an order whose sender ended after its request left', async () => {
    const desk = orderDesk([
      () => {
        throw new Error('killed');
      },
    ]);
    // The process ends: nothing that it would still write is written.
    const { update } = desk.ports.orders;
    let writes = 0;
    desk.ports.orders.update = async (...args) => {
      writes += 1;
      if (writes > 1) throw new Error('killed');
      return update(...args);
    };
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    desk.ports.orders.update = update;

    expect(await desk.decide('c-1', [accept])).toMatchObject({ putOff: 'ORDERS_BUSY' });
    desk.pass(CLAIM_MS);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ unknown: 1 });
    expect(desk.sent).toHaveLength(1);
    expect(desk.eventsOf('orders.unknown')).toHaveLength(1);
  });

  test('is none for an order whose sender ended before its request left', async () => {
    const desk = orderDesk();
    const { decideOrders } = desk.ports.calls;
    const { update } = desk.ports.orders;
    desk.ports.calls.decideOrders = async () => {
      desk.ports.orders.update = async () => {
        throw new Error('killed');
      };
      throw new Error('killed');
    };
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    Object.assign(desk.ports.calls, { decideOrders });
    desk.ports.orders.update = update;

    desk.pass(CLAIM_MS);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ done: 1 });
    expect(desk.sent).toHaveLength(1);
  });
});
