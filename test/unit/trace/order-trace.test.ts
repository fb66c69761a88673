import { describe, expect, test, vi } from 'vitest';
import { freshLimit } from '../../../shared/limits/model.ts';
import { resolveOrder } from '../../../shared/orders/use-cases/unknown-orders.ts';
import type { Store } from '../../../shared/stores/model.ts';
import type { TraceSubject } from '../../../shared/trace/model.ts';
import { traceOf } from '../../../shared/trace/trace.ts';
import { viewOrders } from '../../../shared/trace/view-orders.ts';
import { type WaitingFactsPorts, withCause } from '../../../shared/trace/waiting-facts.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { LOCK_MS, orderDesk, orderIdOf, type Reply, STORE } from '../orders/order-desk.ts';
import { fail } from '../support/failure.ts';
import { emptyTracePorts } from './trace-ports.ts';

const orderId = orderIdOf(1);
const accept = [{ orderId, decision: 'accept' }];

function traced(replies: Reply[] = []) {
  const desk = orderDesk(replies);
  const ports = {
    ...desk.ports,
    ...emptyTracePorts(),
    changeEvents: inMemoryChangeEventTable(),
    listings: inMemoryListingTable(),
  };
  const trace = async (subject: TraceSubject) => (await traceOf(ports, subject)).steps;
  const suspend = () => desk.stores.set(STORE, { ...(desk.stores.get(STORE) as Store), state: 'suspended' });
  return { ...desk, trace, suspend, limits: ports.limits, now: () => ports.clock.now() };
}

describe('an order whose store is suspended', () => {
  test('has its command as waiting for the store, with the next try, by each ID that its sender knows', async () => {
    const { decide, suspend, trace } = traced();
    suspend();
    await decide('c-1', accept);
    for (const subject of [{ orderId }, { commandId: 'c-1' }, { eventId: 'event-of-c-1' }]) {
      const steps = await trace(subject);
      expect(steps.map(({ what }) => what)).toEqual(['command.given', 'command.waiting']);
      expect(steps[1]).toMatchObject({
        outcome: 'open',
        code: 'STORE_NOT_CONNECTED',
        message: `waits: store ${STORE} is suspended`,
        until: expect.stringMatching(/Z$/),
      });
    }
  });

  test('has each kind of command that waits for it', async () => {
    const { decide, dropOff, suspend, trace } = traced();
    suspend();
    await decide('c-1', accept);
    await dropOff('c-2', [{ orderId }]);
    const waits = (await trace({ orderId })).filter(({ what }) => what === 'command.waiting');
    expect(waits.map(({ commandId }) => commandId).toSorted()).toEqual(['c-1', 'c-2']);
  });

  test('has its command as waiting, however many orders the command has', async () => {
    const { decide, suspend, trace } = traced();
    suspend();
    await decide(
      'c-1',
      Array.from({ length: 60 }, (_, index) => ({ orderId: orderIdOf(index), decision: 'accept' })),
    );
    const steps = await trace({ orderId: orderIdOf(59) });
    expect(steps.map(({ what }) => what)).toEqual(['command.given', 'command.waiting']);
  });

  test('waits no more once its command is performed', async () => {
    const { decide, suspend, trace, stores } = traced();
    const connected = stores.get(STORE) as Store;
    suspend();
    await decide('c-1', accept);
    stores.set(STORE, connected);
    await decide('c-1', accept);
    const steps = await trace({ orderId });
    expect(steps.map(({ what }) => what)).not.toContain('command.waiting');
    expect(steps).toContainEqual(
      expect.objectContaining({ what: 'order.decision', outcome: 'accepted', decision: 'accept' }),
    );
  });
});

test('an order whose next try is long past due says so: its message may have become a dead letter', async () => {
  const { decide, suspend, trace, pass, ports } = traced();
  suspend();
  await decide('c-1', accept);
  const waits = async () => {
    const step = (await trace({ orderId })).find(({ what }) => what === 'command.waiting');
    const orders = (await ports.orders.list(STORE)).orders;
    const [view] = await viewOrders(ports, orders);
    return [step?.message, view?.waits?.[0]?.message, step?.until];
  };
  const [, soon] = await waits();
  expect(soon).toBe(`store ${STORE} is suspended`);
  pass(1_000_000);
  const [inTrace, inList, until] = await waits();
  expect(inList).toBe(
    `${soon}; its next try was due at ${until}: it is late, or its message became a dead letter`,
  );
  expect(inTrace).toBe(`waits: ${inList}`);
});

test('the trace of an order shows each try of its decision with status and code', async () => {
  const { decide, trace } = traced([fail({ code: 'SYS_DEP_503', status: 503, retryable: true })]);
  await decide('c-1', accept);
  const tries = (await trace({ orderId })).filter(({ what }) => what === 'request.tried');
  expect(tries).toEqual([
    expect.objectContaining({ outcome: 'refused', status: 503, code: 'SYS_DEP_503', commandId: 'c-1' }),
    expect.objectContaining({ outcome: 'accepted' }),
  ]);
});

test('an order says how often its request was tried, and why the last try failed; a single try is not counted', async () => {
  const busy = fail({ code: 'SYS_DEP_503', status: 503, retryable: true, message: 'later' });
  const { decide, order } = traced([busy, busy]);
  await decide('c-1', accept);
  expect((await order(`orderId:${orderId}`))?.decision).toMatchObject({
    state: 'accepted',
    tries: { count: 3, lastFailed: { outcome: 'refused', status: 503, code: 'SYS_DEP_503' } },
  });
  await decide('c-2', [{ orderId: orderIdOf(2), decision: 'accept' }]);
  expect((await order(`orderId:${orderIdOf(2)}`))?.decision).not.toHaveProperty('tries');
});

test('an order whose decision waits after tries without effect has these tries, and when the next one is', async () => {
  const busy = fail({ code: 'SYS_DEP_503', status: 503, retryable: true });
  const { decide, trace } = traced(Array.from({ length: 6 }, () => busy));
  await decide('c-1', accept);
  const steps = await trace({ orderId });
  const tries = steps.filter(({ what }) => what === 'request.tried');
  expect(tries.map(({ code, commandId }) => [code, commandId])).toEqual(
    Array.from({ length: 6 }, () => ['SYS_DEP_503', 'c-1']),
  );
  expect(steps.filter(({ what }) => what === 'command.waiting')).toEqual([
    expect.objectContaining({ outcome: 'open', until: expect.stringMatching(/Z$/) }),
  ]);
});

test('an order that waits for a permit names what the marketplace answers while it fails', async () => {
  const noPermit = fail({ code: 'LIMIT_REACHED', outcome: 'not-sent', retryable: true, message: 'busy' });
  const { decide, trace, limits, now } = traced(Array.from({ length: 6 }, () => noPermit));
  await decide('c-1', accept);
  const wait = async () => (await trace({ orderId })).find(({ what }) => what === 'command.waiting');
  expect(await wait()).toMatchObject({ code: 'LIMIT_REACHED', message: 'waits: busy' });
  const failure = { at: now() - 1_000, status: 503, code: 'SYS_DEP_503' };
  await limits.create({ ...freshLimit('partner'), failed: 5, failingSince: now() - 60_000, failure });
  expect((await wait())?.message).toMatch(/^waits: busy[.] The marketplace answers 503 SYS_DEP_503 since /);
});

test('a request that has had no try names what the marketplace answers while it fails', async () => {
  const { limits, now } = traced();
  const ports = { limits, limitIds: ['partner'], clock: { now } } as unknown as WaitingFactsPorts;
  const step = {
    at: '2026-01-01T00:00:00.000Z',
    storeClientId: STORE,
    what: 'request.prepared',
    outcome: 'open',
  } as const;
  expect(await withCause(ports, [step])).toEqual([step]);
  const failure = { at: now() - 1_000, status: 503, code: 'SYS_DEP_503' };
  await limits.create({ ...freshLimit('partner'), failed: 5, failingSince: now() - 60_000, failure });
  const [waiting] = await withCause(ports, [step]);
  expect(waiting?.message).toMatch(/^waits: The marketplace answers 503 SYS_DEP_503 since /);
});

test('a command whose decision contradicts an earlier one is never shown as sent', async () => {
  const { decide, trace } = traced();
  await decide('c-1', accept);
  await decide('c-2', [{ orderId, decision: 'reject', reasonCode: '1' }]);
  const steps = await trace({ commandId: 'c-2' });
  expect(steps).toContainEqual(
    expect.objectContaining({ what: 'command.planned', rows: { given: 1, sent: 0, rejected: 0 } }),
  );
  expect(steps).toContainEqual(
    expect.objectContaining({ what: 'order.decision', outcome: 'rejected', code: 'ORDER_DECIDED_OTHERWISE' }),
  );
});

test('the trace of an order shows the refused second decision beside the first', async () => {
  const { decide, trace } = traced();
  await decide('c-1', accept);
  await decide('c-2', [{ orderId, decision: 'reject', reasonCode: '1' }]);
  const steps = await trace({ orderId });
  expect(steps).toContainEqual(
    expect.objectContaining({ what: 'order.decision', outcome: 'accepted', decision: 'accept' }),
  );
  expect(steps).toContainEqual(
    expect.objectContaining({ what: 'row.rejected', code: 'ORDER_DECIDED_OTHERWISE', commandId: 'c-2' }),
  );
});

test('the trace of a resolved order shows that the outcome was unknown, and what an operator recorded and why', async () => {
  const lost = fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true });
  const { decide, trace, ports, pass } = traced([lost]);
  await decide('c-1', accept);
  pass(LOCK_MS);
  const action = { storeClientId: STORE, reference: { orderId }, action: 'decision' } as const;
  await resolveOrder(ports, action, 'accepted', 'seen in the seller panel');
  const steps = (await trace({ orderId })).filter(({ what }) => what.startsWith('order.'));
  expect(steps).toEqual([
    expect.objectContaining({
      what: 'order.decision',
      outcome: 'unknown',
      code: 'TIMEOUT',
      decision: 'accept',
    }),
    expect.objectContaining({
      what: 'order.resolved',
      outcome: 'accepted',
      message: 'an operator recorded: it was done: seen in the seller panel',
    }),
  ]);
});

test('a request is found by its own ID, and a decision by the ID that the marketplace gave its request', async () => {
  const { decide, trace, requests } = traced([() => ({ success: true, requestId: 'r-77', message: 'ok' })]);
  await decide('c-1', accept);
  for (const requestId of ['r-77', requests()[0]?.recordId ?? '']) {
    const steps = await trace({ requestId });
    expect(steps).toContainEqual(expect.objectContaining({ what: 'order.decision', outcome: 'accepted' }));
  }
});

test.each([
  ['was refused for now', 1, { code: 'SYS_DEP_503', status: 503, retryable: true }],
  ['has an unknown outcome', 1, { code: 'SYS_UPS_001', status: 504, outcome: 'unknown' }],
  ['was refused as a whole and sent in halves', 2, { code: 'VAL_001', status: 422 }],
] as const)(
  'a request is found by the ID that the marketplace gave a try of it which %s',
  async (_, orders, error) => {
    const { decide, trace } = traced([fail({ ...error, requestId: 'r-1' })]);
    const items = Array.from({ length: orders }, (__, index) => ({
      orderId: orderIdOf(index),
      decision: 'accept',
    }));
    await decide('c-1', items);
    const steps = await trace({ requestId: 'r-1' });
    expect(steps).toContainEqual(
      expect.objectContaining({ what: 'request.tried', requestId: 'r-1', code: error.code }),
    );
    const decided = steps.filter(({ what }) => what === 'order.decision');
    expect(decided).toHaveLength(orders);
  },
);

test('a request goes on after a failed try whose ID cannot be stored', async () => {
  const busy = fail({ code: 'SYS_DEP_503', status: 503, retryable: true, requestId: 'r-1' });
  const { decide, ports } = traced([busy]);
  const { putAliases } = ports.requests;
  const put = vi.fn<typeof putAliases>((aliases) =>
    aliases.some(({ id }) => id === 'r-1') ? Promise.reject(new Error('not now')) : putAliases(aliases),
  );
  Object.assign(ports.requests, { putAliases: put });
  expect(await decide('c-1', accept)).toMatchObject({ accepted: 1 });
  expect(put).toHaveBeenCalledWith([expect.objectContaining({ id: 'r-1' })]);
});

test('a request whose only try is refused finally is put once under the ID of its error, and one that is answered under the ID of no try', async () => {
  const refused = fail({ code: 'VAL_001', status: 422, requestId: 'r-1' });
  const { decide, ports } = traced([refused]);
  const put = vi.spyOn(ports.requests, 'putAliases');
  await decide('c-1', accept);
  await decide('c-2', [{ orderId: orderIdOf(2), decision: 'accept' }]);
  const ids = put.mock.calls.flatMap(([aliases]) => aliases.map(({ id }) => id));
  expect(ids.filter((id) => !id.startsWith('event-of-'))).toEqual(['r-1']);
});
