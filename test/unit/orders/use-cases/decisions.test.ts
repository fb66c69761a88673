import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../shared/stores/model.ts';
import { fail } from '../../support/failure.ts';
import { ATTEMPT_LIFETIME_MS, LOCK_MS, messageOf, NOW, orderDesk, orderIdOf, STORE } from '../order-desk.ts';

const orderId = orderIdOf(1);
const key = `orderId:${orderId}`;
const accept = { orderId, decision: 'accept' };
const reject = { orderId, decision: 'reject', reasonCode: 'OUT_OF_STOCK' };
const timeout = fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true });

describe('order.decision.requested', () => {
  test('is sent in bulk unchanged, recorded per order and announced', async () => {
    const desk = orderDesk();
    const other = { orderId: orderIdOf(2), decision: 'reject', reasonCode: 'X', reason: 'sold out' };
    expect(await desk.decide('c-1', [accept, other])).toEqual({
      accepted: 2,
      rejected: 0,
      unknown: 0,
      deferred: [],
    });
    expect(desk.sent).toEqual([{ call: 'decideOrders', items: [accept, other] }]);
    // The record of the request has its rows.
    expect(desk.archive.size).toBe(0);
    expect(await desk.order(key)).toMatchObject({
      decision: { state: 'accepted', decision: 'accept', commandId: 'c-1' },
    });
    expect(await desk.order(`orderId:${orderIdOf(2)}`)).toMatchObject({
      decision: { state: 'accepted', reasonCode: 'X' },
    });
    expect(desk.eventsOf('orders.decided')).toMatchObject([
      {
        detail: {
          orders: [
            { orderId, decision: 'accept' },
            { orderId: orderIdOf(2), decision: 'reject' },
          ],
        },
      },
    ]);
    expect(desk.requests()).toMatchObject([{ state: 'answered', kind: 'order-decision' }]);
  });

  test('shares a request with those of other commands received together, and their event, in which each order names its command', async () => {
    const desk = orderDesk();
    const bodies = [1, 2, 3].map((number) =>
      messageOf('order.decision.requested', `c-${number}`, [
        { orderId: orderIdOf(number), decision: 'accept' },
      ]),
    );
    expect(await desk.deliverAll(bodies)).toMatchObject({ accepted: 3 });
    expect(desk.sent.map(({ items }) => items.length)).toEqual([3]);
    const orders = [1, 2, 3].map((number) => ({
      orderId: orderIdOf(number),
      decision: 'accept',
      commandId: `c-${number}`,
    }));
    expect(desk.eventsOf('orders.decided').map(({ detail }) => detail)).toEqual([
      { storeClientId: STORE, orders },
    ]);
  });

  test('by a name that its store does not use is rejected, so that no order is decided twice under two names', async () => {
    const desk = orderDesk();
    const byInvoice = { invoiceNumber: 'INV/1', decision: 'reject' };
    expect(await desk.decide('c-1', [accept, byInvoice])).toMatchObject({ accepted: 1, rejected: 1 });
    expect(desk.sent).toEqual([{ call: 'decideOrders', items: [accept] }]);
    expect(desk.rejected()).toMatchObject([
      {
        code: 'NAME_KIND',
        rowIndex: 1,
        field: 'detail.items.1.invoiceNumber',
        message: expect.stringContaining('orderNames'),
      },
    ]);
  });

  test('by invoice number is accepted in a store that names its orders so, and no other name is', async () => {
    const desk = orderDesk([], 'invoiceNumber');
    const byInvoice = { invoiceNumber: 'INV/1', decision: 'reject' };
    expect(await desk.decide('c-1', [accept, byInvoice])).toMatchObject({ accepted: 1, rejected: 1 });
    expect(await desk.order('invoiceNumber:INV/1')).toMatchObject({ decision: { state: 'accepted' } });
    expect(desk.rejected()).toMatchObject([{ code: 'NAME_KIND', rowIndex: 0, orderId }]);
  });

  test('is rejected, and no other one, when the answer has an error about it', async () => {
    const error = { orderId: orderIdOf(2), code: 'ORDER_099', message: 'too late' };
    const desk = orderDesk([
      () => ({ success: true, data: { summary: { total: 2, accepted: 1 }, errors: [error] } }),
    ]);
    const other = { orderId: orderIdOf(2), decision: 'accept' };
    expect(await desk.decide('c-1', [accept, other])).toMatchObject({ accepted: 1, rejected: 1, unknown: 0 });
    expect(desk.rejected()).toMatchObject([{ code: 'ORDER_099', orderId: orderIdOf(2), rowIndex: 1 }]);
    expect(desk.eventsOf('orders.decided')).toMatchObject([{ detail: { orders: [accept] } }]);
  });

  test('has an unknown outcome when the answer has an error that names no order', async () => {
    const desk = orderDesk([() => ({ success: true, errors: [{ code: 'ORDER_099' }] })]);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ accepted: 0, rejected: 0, unknown: 1 });
  });

  test.each([
    ['failures', { data: { summary: { total: 2, failed: 1 } } }],
    ['fewer accepted orders', { summary: { accepted: 1 } }],
  ])('has an unknown outcome when the answer counts %s and names none', async (_, counts) => {
    const desk = orderDesk([() => ({ success: true, ...counts })]);
    const other = { orderId: orderIdOf(2), decision: 'accept' };
    expect(await desk.decide('c-1', [accept, other])).toMatchObject({ accepted: 0, rejected: 0, unknown: 2 });
  });

  test.each<[string, unknown, object]>([
    ['a list that may name failed orders', [{ orderId, code: 'ORDER_099' }], { accepted: 0, unknown: 1 }],
    ['an empty list', [], { accepted: 1, unknown: 0 }],
    ['a text', 'queued', { accepted: 1, unknown: 0 }],
    ['failures in an unknown form', { items: [{ orderId, success: false }] }, { accepted: 0, unknown: 1 }],
    ['a list without failures', { items: [{ orderId, success: true }] }, { accepted: 1, unknown: 0 }],
  ])(
    'is unknown only when the data of the answer is a list with elements, or has failures: %s',
    async (_, data, expected) => {
      const desk = orderDesk([() => ({ success: true, data })]);
      expect(await desk.decide('c-1', [accept])).toMatchObject(expected);
    },
  );

  test('is sent later, and not unknown, when it was refused for now and its lock could not be released', async () => {
    const desk = orderDesk([fail({ code: 'SYS_DEP_503', outcome: 'refused', retryable: true })]);
    const { update } = desk.ports.orders;
    desk.ports.orders.update = async (...args) => {
      if (desk.sent.length !== 1) return update(...args);
      desk.ports.orders.update = update;
      throw new Error('the table is throttled');
    };
    expect(await desk.decide('c-1', [accept])).toMatchObject({ accepted: 1, unknown: 0 });
  });

  test('is sent later, and not unknown, when its store could not be read right before it was sent', async () => {
    const desk = orderDesk();
    const { get } = desk.ports.stores;
    let reads = 0;
    desk.ports.stores.get = async (storeClientId) => {
      reads += 1;
      if (reads === 2) throw new Error('the table is throttled');
      return get(storeClientId);
    };
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('throttled');
    expect(desk.sent).toEqual([]);
    desk.pass(LOCK_MS);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ accepted: 1, unknown: 0 });
  });

  test('is not sent again after it was accepted, by a redelivery or another command, with the ID in any case', async () => {
    const desk = orderDesk();
    await desk.decide('c-1', [accept]);
    await desk.decide('c-1', [accept]);
    expect(await desk.decide('c-2', [{ orderId: orderId.toUpperCase(), decision: 'accept' }])).toMatchObject({
      accepted: 0,
      rejected: 0,
    });
    expect(desk.sent).toHaveLength(1);
  });

  test('is rejected when it contradicts an earlier decision', async () => {
    const desk = orderDesk();
    await desk.decide('c-1', [accept]);
    expect(await desk.decide('c-2', [reject])).toMatchObject({ accepted: 0, rejected: 1 });
    expect(desk.sent).toHaveLength(1);
    expect(desk.rejected()).toMatchObject([
      { code: 'ORDER_DECIDED_OTHERWISE', orderId, rowIndex: 0, commandId: 'c-2', field: 'detail.items.0' },
    ]);
  });

  test('has rejections separate from those of a dropoff with the same ID', async () => {
    const desk = orderDesk();
    await desk.decide('c-1', [{ nonsense: 1 }]);
    await desk.dropOff('c-1', [{ nonsense: 1 }]);
    expect(desk.rejected().map(({ detailType }) => detailType)).toEqual([
      'order.decision.requested',
      'order.dropoff.requested',
    ]);
  });

  test.each([
    ['rejected', {}],
    ['unknown', { outcome: 'unknown' as const }],
  ])(
    'stores at most the allowed length of the message for an order whose outcome is %s',
    async (state, of) => {
      const desk = orderDesk([fail({ code: 'ORDER_001', message: 'x'.repeat(500_000), ...of })]);
      await desk.decide('c-1', [accept]);
      const record = (await desk.order(key))?.decision;
      expect(record).toMatchObject({ state, message: expect.stringMatching(/^x{300}$/) });
    },
  );

  test('sends the first of two contradicting rows for one order, and rejects the other', async () => {
    const desk = orderDesk();
    expect(await desk.decide('c-1', [accept, reject])).toMatchObject({ accepted: 1, rejected: 1 });
    expect(desk.sent).toEqual([{ call: 'decideOrders', items: [accept] }]);
    expect(desk.rejected()).toMatchObject([{ code: 'ORDER_DECIDED_OTHERWISE', orderId, rowIndex: 1 }]);
  });

  test('is sent once for two rows that name one order, its ID in any case', async () => {
    const desk = orderDesk([timeout]);
    const rows = [accept, { ...accept, orderId: orderId.toUpperCase() }];
    expect(await desk.decide('c-1', rows)).toEqual({ accepted: 0, unknown: 1, rejected: 0, deferred: [] });
    expect(desk.sent).toEqual([{ call: 'decideOrders', items: [accept] }]);
  });

  test.each([
    ['both identifiers', { ...accept, invoiceNumber: 'INV/1' }],
    ['no identifier', { decision: 'accept' }],
    ['an order ID that is not a UUID', { orderId: 'o-1', decision: 'accept' }],
    ['another decision', { orderId, decision: 'maybe' }],
    ['a reason code with an acceptance', { ...accept, reasonCode: 'X' }],
    ['a field that the spec does not know', { ...accept, colour: 'red' }],
    ['text in place of an object', 'accept it'],
    ['an invoice number with half a character', { invoiceNumber: 'INV-\ud800', decision: 'accept' }],
    ['a reason that no record of an order could hold', { ...reject, reason: 'x'.repeat(10_001) }],
    ['a reason code that is a text', { ...reject, reasonCode: 'x'.repeat(201) }],
  ])('rejects only the row with %s', async (_, row) => {
    const desk = orderDesk();
    const good = { orderId: orderIdOf(2), decision: 'accept' };
    expect(await desk.decide('c-1', [row, good])).toMatchObject({ accepted: 1, rejected: 1 });
    expect(desk.sent).toEqual([{ call: 'decideOrders', items: [good] }]);
    expect(desk.rejected()).toMatchObject([{ code: 'ROW_INVALID', rowIndex: 0 }]);
    expect(desk.eventsOf('rows.rejected')).toHaveLength(1);
  });

  test('names both rules of a row that is no object or that nests too deep', async () => {
    const desk = orderDesk();
    // The parser of events puts a text in place of a row that nests too deep.
    await desk.decide('c-1', ['nests more than 100 levels deep']);
    expect(desk.rejected()).toMatchObject([
      {
        message: 'must be an object that nests at most 100 levels deep, with each member once',
        field: 'detail.items.0',
      },
    ]);
  });

  test('is split in halves when it is refused whole, down to the invalid order', async () => {
    const refuse = fail({ code: 'ORDER_001' });
    const good = orderIdOf(2);
    const desk = orderDesk([refuse, refuse]);
    const items = [accept, { orderId: good, decision: 'accept' }];
    expect(await desk.decide('c-1', items)).toMatchObject({ accepted: 1, rejected: 1 });
    expect(desk.rejected()).toMatchObject([{ code: 'ORDER_001', orderId, rowIndex: 0 }]);
    expect(await desk.order(key)).toMatchObject({
      decision: { state: 'rejected', decision: 'accept', code: 'ORDER_001' },
    });
    expect(await desk.order(`orderId:${good}`)).toMatchObject({ decision: { state: 'accepted' } });
  });

  test('may be requested again, also differently, after the marketplace refused it', async () => {
    const desk = orderDesk([fail({ code: 'ORDER_001' })]);
    await desk.decide('c-1', [accept]);
    await desk.decide('c-1', [accept]);
    expect(desk.sent).toHaveLength(1);
    expect(await desk.decide('c-2', [reject])).toMatchObject({ accepted: 1 });
  });

  test('is sent again after a temporary refusal, and never twice after that', async () => {
    const busy = fail({ code: 'SYS_DEP_503', retryable: true });
    const desk = orderDesk([busy, busy]);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ accepted: 1 });
    expect(desk.sent).toHaveLength(3);
  });

  test('is sent once although it waits for another permit after it was recorded as sent', async () => {
    const desk = orderDesk();
    const { decideOrders } = desk.ports.calls;
    desk.ports.calls.decideOrders = async (store, body, options) => {
      await options?.onAttempt?.({ number: 1, signedAt: desk.ports.clock.now() });
      desk.pass(1_000);
      return decideOrders(store, body, options);
    };
    expect(await desk.decide('c-1', [accept])).toMatchObject({ accepted: 1, deferred: [] });
    expect(desk.sent).toHaveLength(1);
  });

  test('waits for a later delivery while temporary refusals continue, and is then sent', async () => {
    const desk = orderDesk(Array.from({ length: 20 }, () => fail({ code: 'SYS_DEP_503', retryable: true })));
    expect(await desk.decide('c-1', [accept])).toMatchObject({ deferred: ['SYS_DEP_503'] });
    expect(desk.later).toMatchObject([{ body: expect.stringContaining('event-of-c-1') }]);
    expect((await desk.order(key))?.decision).toBeUndefined();
    desk.replies.length = 0;
    expect(await desk.decide('c-1', [accept])).toMatchObject({ accepted: 1 });
  });

  test('that waits is rejected once its store names orders another way, so that no order is decided twice', async () => {
    const desk = orderDesk(Array.from({ length: 20 }, () => fail({ code: 'SYS_DEP_503', retryable: true })));
    await desk.decide('c-1', [accept]);
    const refusals = desk.sent.length;
    const store = desk.stores.get(STORE);
    if (store !== undefined)
      desk.stores.set(STORE, { ...store, names: { ...store.names, orders: 'invoiceNumber' } });
    desk.replies.length = 0;
    expect(await desk.deliver(desk.later[0]?.body ?? '')).toMatchObject({ accepted: 0, rejected: 1 });
    expect(desk.rejected()).toMatchObject([{ code: 'NAME_KIND', orderId, commandId: 'c-1', rowIndex: 0 }]);
    expect(desk.sent).toHaveLength(refusals);
  });

  test.each<[string, Partial<Store>, object[]]>([
    ['are changing', { renamingUntil: NOW + 30_000 }, [{ call: 'decideOrders' }]],
    ['have changed', { names: { products: 'sku', orders: 'invoiceNumber' } }, []],
  ])('is not sent when the names of its store %s since it was planned', async (_, change, sentLater) => {
    const desk = orderDesk();
    const { update } = desk.ports.orders;
    desk.ports.orders.update = (...args) => {
      const store = desk.stores.get(STORE);
      if (store) desk.stores.set(STORE, { ...store, ...change });
      desk.ports.orders.update = update;
      return update(...args);
    };
    expect(await desk.decide('c-1', [accept])).toMatchObject({ deferred: ['STORE_BUSY'] });
    expect(desk.sent).toEqual([]);
    expect(await desk.order(`orderId:${orderId}`)).not.toHaveProperty('decision');
    desk.pass(30_000);
    await desk.deliver(desk.later[0]?.body ?? '');
    expect(desk.sent).toMatchObject(sentLater);
    expect(desk.rejected()).toHaveLength(1 - sentLater.length);
  });

  test('reports its invalid rows once, however often the others wait', async () => {
    const desk = orderDesk(Array.from({ length: 60 }, () => fail({ code: 'SYS_DEP_503', retryable: true })));
    const rows = [{ nonsense: 1 }, { orderId: orderIdOf(2), decision: 'accept' }];
    for (let delivery = 0; delivery < 4; delivery += 1) {
      expect(await desk.decide('c-2', rows)).toMatchObject({ deferred: ['SYS_DEP_503'] });
    }
    expect(desk.eventsOf('rows.rejected')).toMatchObject([{ detail: { rows: [{ rowIndex: 0 }] } }]);
  });

  test('waits while another request holds one of its orders, and releases the others', async () => {
    const desk = orderDesk();
    const other = { orderId: orderIdOf(2), decision: 'accept' };
    const { decideOrders } = desk.ports.calls;
    const during: unknown[] = [];
    desk.ports.calls.decideOrders = async (...args) => {
      desk.ports.calls.decideOrders = decideOrders;
      during.push(await desk.decide('c-2', [other, accept]), await desk.order(`orderId:${orderIdOf(2)}`));
      return decideOrders(...args);
    };
    expect(await desk.decide('c-1', [accept])).toMatchObject({ accepted: 1 });
    expect(during).toMatchObject([{ deferred: ['ORDERS_BUSY'] }, { orderId: orderIdOf(2) }]);
    expect(during[1]).not.toHaveProperty('decision');
    expect(await desk.decide('c-2', [other, accept])).toMatchObject({ accepted: 1, rejected: 0 });
    expect(desk.sent.map(({ items }) => items)).toEqual([[accept], [other]]);
  });

  test('is neither sent again nor decided anew when the items per request change between two deliveries', async () => {
    const desk = orderDesk();
    const items = [1, 2, 3].map((number) => ({ orderId: orderIdOf(number), decision: 'accept' }));
    const message = messageOf('order.decision.requested', 'c-1', items);
    desk.ports.itemsPerRequest = 1;
    expect(await desk.deliver(message, desk.ports.clock.now())).toMatchObject({ deferred: ['OUT_OF_TIME'] });
    desk.ports.itemsPerRequest = 100;
    await desk.deliver(message);
    expect(desk.sent.map(({ items }) => items)).toEqual(items.map((item) => [item]));
  });

  test('suspends a store whose credentials are refused, and waits', async () => {
    const desk = orderDesk([fail({ code: 'AUTH_014' })]);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ deferred: ['STORE_NOT_CONNECTED'] });
    expect(desk.stores.get(STORE)?.state).toBe('suspended');
    expect((await desk.order(key))?.decision).toBeUndefined();
  });

  test('for an unknown store is rejected whole', async () => {
    const desk = orderDesk();
    expect(await desk.decide('c-1', [accept], { storeClientId: 's-9' })).toMatchObject({ rejected: 1 });
    expect(desk.rejected()).toMatchObject([{ code: 'STORE_UNKNOWN', storeClientId: 's-9' }]);
  });
});

test('a command that is not valid and names a store that is not connected is rejected for the store', async () => {
  const desk = orderDesk();
  await desk.decide('c-1', [accept], { storeClientId: 's-9', retry: 'true' });
  expect(desk.rejected()).toMatchObject([{ code: 'STORE_UNKNOWN', storeClientId: 's-9' }]);
});

describe('an order with an unknown outcome', () => {
  /** The first writes of an order succeed, then the process is killed before all others. */
  const killAfterWrites = (desk: ReturnType<typeof orderDesk>, allowed: number) => {
    const { update } = desk.ports.orders;
    let writes = 0;
    desk.ports.orders.update = async (...args) => {
      writes += 1;
      if (writes > allowed) throw new Error('killed');
      return update(...args);
    };
    return () => {
      desk.ports.orders.update = update;
    };
  };
  const killed = () => {
    throw new Error('killed');
  };

  test('is recorded, announced, and not sent again by a redelivery', async () => {
    const desk = orderDesk([timeout]);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ accepted: 0, unknown: 1 });
    await desk.decide('c-1', [accept]);
    expect(desk.sent).toHaveLength(1);
    expect(await desk.order(key)).toMatchObject({ decision: { state: 'unknown', code: 'TIMEOUT' } });
    expect(desk.eventsOf('orders.unknown')).toMatchObject([
      { detail: { action: 'decision', code: 'TIMEOUT', orders: [{ orderId, decision: 'accept' }] } },
    ]);
    expect(desk.requests()).toMatchObject([{ state: 'unknown' }]);
  });

  test('rejects a further command, and a different decision even as a retry', async () => {
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

  test('makes a retry wait until the earlier request can no longer land', async () => {
    const desk = orderDesk([timeout]);
    await desk.decide('c-1', [accept]);
    expect(await desk.decide('c-2', [accept], { retry: true })).toMatchObject({ deferred: ['ORDERS_BUSY'] });
    desk.pass(ATTEMPT_LIFETIME_MS);
    expect(await desk.decide('c-2', [accept], { retry: true })).toMatchObject({ accepted: 1 });
  });

  test('is sent again once by an explicit retry', async () => {
    const desk = orderDesk([timeout, timeout]);
    await desk.decide('c-1', [accept]);
    desk.pass(LOCK_MS);
    expect(await desk.decide('c-2', [accept, accept], { retry: true })).toMatchObject({
      unknown: 1,
      rejected: 0,
    });
    desk.pass(LOCK_MS);
    await desk.decide('c-2', [accept, accept], { retry: true });
    expect(desk.sent).toHaveLength(2);
    expect(await desk.decide('c-3', [accept], { retry: true })).toMatchObject({ accepted: 1 });
  });

  test('stays unknown when its retry is refused or had no effect', async () => {
    const down = Array.from({ length: 20 }, () => fail({ code: 'SYS_DEP_503', retryable: true }));
    const desk = orderDesk([timeout, fail({ code: 'ORDER_001' }), ...down]);
    await desk.decide('c-1', [accept]);
    desk.pass(LOCK_MS);
    expect(await desk.decide('c-2', [accept], { retry: true })).toMatchObject({ rejected: 1 });
    expect(await desk.decide('c-3', [accept], { retry: true })).toMatchObject({ deferred: ['SYS_DEP_503'] });
    desk.replies.length = 0;
    expect(await desk.decide('c-4', [accept])).toMatchObject({ rejected: 1 });
    expect(desk.rejected().at(-1)).toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN', commandId: 'c-4' });
    const now = desk.ports.clock.now();
    expect((await desk.ports.orders.listUnknown(STORE, { now })).orders).toHaveLength(1);
    expect(await desk.decide('c-3', [accept], { retry: true })).toMatchObject({ accepted: 1 });
  });

  test('is announced by the next delivery when its sender was killed before', async () => {
    const desk = orderDesk([timeout]);
    const { publish } = desk.ports.events;
    desk.ports.events.publish = async () => killed();
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    desk.ports.events.publish = publish;
    await desk.decide('c-1', [accept]);
    await desk.decide('c-1', [accept]);
    expect(desk.eventsOf('orders.unknown')).toMatchObject([
      { detail: { commandId: 'c-1', code: 'TIMEOUT' } },
    ]);
  });

  test('becomes known when the answer was stored before its sender was killed', async () => {
    const desk = orderDesk();
    const revive = killAfterWrites(desk, 1);
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    revive();
    expect(await desk.decide('c-1', [accept])).toMatchObject({ accepted: 1, deferred: [] });
    expect(desk.sent).toHaveLength(1);
    expect(await desk.order(key)).toMatchObject({ decision: { state: 'accepted' } });
    expect(desk.eventsOf('orders.decided')).toHaveLength(1);
  });

  test('is recorded under the command that left it when another command finds it', async () => {
    const desk = orderDesk([killed]);
    const revive = killAfterWrites(desk, 1);
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    revive();
    expect(await desk.decide('c-2', [accept])).toMatchObject({ deferred: ['ORDERS_BUSY'] });
    desk.pass(LOCK_MS);

    expect(await desk.decide('c-2', [accept])).toMatchObject({ rejected: 1 });
    expect(desk.eventsOf('orders.unknown')).toMatchObject([
      { detail: { commandId: 'c-1', code: 'REQUEST_ABANDONED', orders: [{ orderId, decision: 'accept' }] } },
    ]);
    expect(desk.rejected()).toMatchObject([{ commandId: 'c-2', code: 'ORDER_OUTCOME_UNKNOWN' }]);
    expect(await desk.decide('c-3', [accept], { retry: true })).toMatchObject({ accepted: 1 });
  });

  test('becomes known when another command finds a stored answer that was not applied', async () => {
    const desk = orderDesk();
    const revive = killAfterWrites(desk, 1);
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    revive();
    desk.pass(LOCK_MS);
    expect(await desk.decide('c-2', [accept])).toMatchObject({ rejected: 0, unknown: 0 });
    expect(desk.sent).toHaveLength(1);
    expect(desk.eventsOf('orders.decided')).toMatchObject([{ detail: { commandId: 'c-1' } }]);
  });

  test('results when a sender is killed after its request left', async () => {
    const desk = orderDesk([killed]);
    const revive = killAfterWrites(desk, 1);
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    revive();
    expect(await desk.decide('c-1', [accept])).toMatchObject({ deferred: ['REQUEST_BUSY'] });
    desk.pass(LOCK_MS);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ unknown: 1 });
    expect(desk.sent).toHaveLength(1);
    expect(desk.eventsOf('orders.unknown')).toHaveLength(1);
  });

  test('does not result when a sender is killed before its request left', async () => {
    const desk = orderDesk();
    const { decideOrders } = desk.ports.calls;
    desk.ports.calls.decideOrders = async () => killed();
    await expect(desk.decide('c-1', [accept])).rejects.toThrow('killed');
    desk.ports.calls.decideOrders = decideOrders;
    expect(await desk.order(key)).toMatchObject({ decision: { state: 'sending' } });

    desk.pass(LOCK_MS);
    expect(await desk.decide('c-1', [accept])).toMatchObject({ accepted: 1 });
    expect(desk.sent).toHaveLength(1);
  });
});
