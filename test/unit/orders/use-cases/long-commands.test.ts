import { describe, expect, test } from 'vitest';
import { fail } from '../../support/failure.ts';
import { messageOf, NOW, orderDesk, orderIdOf, type Reply, takeDropoffs } from '../order-desk.ts';

const decisions = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ orderId: orderIdOf(index + 1), decision: 'accept' }));
const refuse = fail({ code: 'ORDER_001' });

/** A desk whose calls take a second each. */
function slowDesk(itemsPerRequest: number, replies: Reply[] = []) {
  const desk = orderDesk();
  const { decideOrders, requestDropoffs } = desk.ports.calls;
  const slowly =
    <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args) => {
      desk.pass(1000);
      return call(...args);
    };
  const calls = { decideOrders: slowly(decideOrders), requestDropoffs: slowly(requestDropoffs) };
  Object.assign(desk.ports, { itemsPerRequest, calls });
  desk.replies.push(...replies);
  return desk;
}

/** Delivers a command and its deferred rest until nothing is left; each delivery begins requests for `ms`. */
async function deliverAll(desk: ReturnType<typeof slowDesk>, body: string, ms: number) {
  const results = [];
  for (let next: string | undefined = body; next !== undefined; next = desk.later.shift()?.body) {
    results.push(await desk.deliver(next, desk.ports.clock.now() + ms));
  }
  return results;
}

describe('an order command that takes longer than its function may run', () => {
  test('begins no request after its stop time, and defers the rest', async () => {
    const desk = slowDesk(100);
    const body = messageOf('order.decision.requested', 'c-1', decisions(8000));
    expect(await desk.deliver(body, NOW + 30_000)).toMatchObject({
      deferred: ['OUT_OF_TIME'],
      accepted: 3000,
    });
    expect(desk.sent).toHaveLength(30);
    expect(desk.later).toMatchObject([{ delayMs: 1_000 }]);
  });

  test('continues where it stopped, sends each order once and leaves none unknown', async () => {
    const desk = slowDesk(100);
    const body = messageOf('order.decision.requested', 'c-1', decisions(8000));
    const results = await deliverAll(desk, body, 30_000);
    expect(results).toEqual([
      { accepted: 3000, unknown: 0, rejected: 0, deferred: ['OUT_OF_TIME'] },
      { accepted: 3000, unknown: 0, rejected: 0, deferred: ['OUT_OF_TIME'] },
      { accepted: 2000, unknown: 0, rejected: 0, deferred: [] },
    ]);
    expect(desk.sent.flatMap(({ items }) => items)).toEqual(decisions(8000));
  });

  test('reports each row once, whether invalid, refused, repeated or decided', async () => {
    const [first, second, third, fourth] = decisions(4);
    const rows = [{ decision: 'accept' }, first, second, second, third, fourth];
    const desk = slowDesk(1, [refuse]);
    await deliverAll(desk, messageOf('order.decision.requested', 'c-1', rows), 0);
    expect(desk.eventsOf('rows.rejected').map(({ detail }) => detail)).toMatchObject([
      { rows: [{ rowIndex: 0, code: 'ROW_INVALID' }] },
      { rows: [{ rowIndex: 1, code: 'ORDER_001' }] },
    ]);
    expect(desk.eventsOf('orders.decided').map(({ detail }) => detail)).toMatchObject(
      [second, third, fourth].map((row) => ({ orders: [row] })),
    );
  });

  test('sends a request at each delivery, however short the time', async () => {
    const desk = slowDesk(4, [refuse, refuse, refuse]);
    const results = await deliverAll(desk, messageOf('order.decision.requested', 'c-1', decisions(4)), 0);
    expect(results.map(({ deferred }) => deferred)).toEqual([...Array(4).fill(['OUT_OF_TIME']), []]);
    expect(desk.sent.map(({ items }) => items.length)).toEqual([4, 2, 1, 1, 2]);
    expect(desk.rejected()).toMatchObject([{ rowIndex: 0, code: 'ORDER_001' }]);
    expect(desk.eventsOf('orders.decided')).toHaveLength(2);
  });

  test('puts the same orders into one request at each delivery', async () => {
    const desk = slowDesk(2, [refuse, takeDropoffs(), takeDropoffs()]);
    const rows = Array.from({ length: 5 }, (_, index) => ({ orderId: orderIdOf(index + 1) }));
    await deliverAll(desk, messageOf('order.dropoff.requested', 'c-1', rows), 0);
    expect(desk.sent.map(({ items }) => items)).toEqual([
      rows.slice(0, 2),
      rows.slice(0, 1),
      rows.slice(1, 2),
      rows.slice(2, 4),
      rows.slice(4),
    ]);
  });
});
