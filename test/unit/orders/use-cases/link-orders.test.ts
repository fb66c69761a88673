import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ActionRecord, OrderCommand, OrderRecord } from '../../../../shared/orders/model.ts';
import { type ActionOutcome, CLAIM_MS } from '../../../../shared/orders/rules/claim.ts';
import { claimOrders } from '../../../../shared/orders/use-cases/claim-orders.ts';
import { endOrders } from '../../../../shared/orders/use-cases/end-orders.ts';
import { findOrder } from '../../../../shared/orders/use-cases/find-order.ts';
import { linkOrders } from '../../../../shared/orders/use-cases/link-orders.ts';
import { listUnknown } from '../../../../shared/orders/use-cases/list-unknown.ts';
import { inMemoryAttemptTable } from '../../../doubles/in-memory-attempt-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryOrderTable } from '../../../doubles/in-memory-order-table.ts';
import { directly, type Step } from '../../../doubles/step.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import { NOW, orderIdOf, STORE } from '../order-desk.ts';

const orderId = orderIdOf(1);
const invoiceNumber = 'INV/1';
const clock = { now: () => NOW };

/** A process dies at its `dyingAt`th operation, before or after its effect. */
function dying(dyingAt: number, when: 'before' | 'after'): Step {
  let operations = 0;
  return async (operation, effect) => {
    operations += 1;
    const result = operations < dyingAt || when === 'after' ? effect() : undefined;
    if (operations >= dyingAt) throw new Error(`killed ${when} ${operation}`);
    return result as ReturnType<typeof effect>;
  };
}

const sending: ActionRecord = {
  state: 'sending',
  commandId: 'c-1',
  attemptId: 'a-1',
  startedAt: new Date(NOW - 1_000).toISOString(),
  decision: 'accept',
};

/** An order whose decision is on its way under its invoice number, and what happens to it; each in its own process. */
function orderOnItsWay() {
  const items = new VersionedItems<OrderRecord>();
  const byInvoice: OrderRecord = {
    storeClientId: STORE,
    orderKey: `invoiceNumber:${invoiceNumber}`,
    invoiceNumber,
    decision: sending,
  };
  items.replace(`${STORE} ${byInvoice.orderKey}`, byInvoice, undefined, {});
  const portsOf = (step: Step = directly) => ({
    orders: inMemoryOrderTable(step, items),
    attempts: inMemoryAttemptTable(step),
    events: inMemoryEventPublisher(step),
    clock,
  });
  const commandOf = (commandId: string, action: OrderCommand['action']): OrderCommand => ({
    action,
    storeClientId: STORE,
    commandId,
    eventId: commandId,
    time: NOW,
    items: [],
    retry: false,
  });
  return {
    /** A dropoff under the invoice number is skipped under the order's ID. */
    link: (step?: Step) => {
      const rows = [{ index: 0, item: { invoiceNumber } }];
      const attempt = { command: commandOf('c-0', 'dropoff'), attemptId: 'a-0', rows };
      return linkOrders(portsOf(step), attempt, { skipped: [{ orderId, code: 'STATUS_NOT_ALLOWED' }] });
    },
    end: (outcome: ActionOutcome, step?: Step) => {
      const rows = [{ index: 0, item: { invoiceNumber, decision: 'accept' as const } }];
      const attempt = { command: commandOf('c-1', 'decision'), attemptId: 'a-1', rows };
      return endOrders(portsOf(step), attempt, () => outcome);
    },
    claim: async (name: object, attemptId: string, step?: Step) => {
      const rows = [{ index: 0, item: { ...name, decision: 'accept' as const } }];
      const command = commandOf(`c-of-${attemptId}`, 'decision');
      const [claim] = await claimOrders(portsOf(step), command, rows, attemptId);
      return claim?.verdict;
    },
    byOrderId: () => findOrder(portsOf().orders, STORE, { orderId }),
    byInvoiceNumber: () => findOrder(portsOf().orders, STORE, { invoiceNumber }),
    unknown: async () => (await listUnknown(portsOf().orders, STORE, { now: NOW + CLAIM_MS })).orders,
  };
}

const OPERATIONS = 6;
const crashes = [...Array(OPERATIONS).keys()].flatMap((before) => [
  { dyingAt: before + 1, when: 'before' as const },
  { dyingAt: before + 1, when: 'after' as const },
]);
const done = { state: 'done' } as const;

describe('two names of one order become one', () => {
  test(`in ${OPERATIONS} operations on the table`, async () => {
    await expect(orderOnItsWay().link(dying(OPERATIONS, 'after'))).rejects.toThrow(
      'killed after orders.replace',
    );
    await expect(orderOnItsWay().link(dying(OPERATIONS + 2, 'before'))).resolves.toBeUndefined();
  });

  describe.each(crashes)('although the first try dies $when operation $dyingAt', ({ dyingAt, when }) => {
    const crashed = async () => {
      const order = orderOnItsWay();
      await expect(order.link(dying(dyingAt, when))).rejects.toThrow('killed');
      return order;
    };
    const isMarked = dyingAt > 2 || (dyingAt === 2 && when === 'after');

    test('and the outcome that comes after it is known by both names', async () => {
      const order = await crashed();
      await order.end(done);
      if (!isMarked) await order.link();
      expect(await order.byOrderId()).toMatchObject({ decision: { state: 'done' }, joined: [invoiceNumber] });
      expect(await order.byInvoiceNumber()).toEqual(await order.byOrderId());
      expect(await order.unknown()).toEqual([]);
    });

    test('and a second try leads to the same', async () => {
      const order = await crashed();
      await order.link();
      await order.end(done);
      expect(await order.byOrderId()).toMatchObject({
        invoiceNumber,
        decision: { ...sending, state: 'done' },
      });
      expect(await order.byOrderId()).not.toHaveProperty('joining');
      expect(await order.byInvoiceNumber()).toEqual(await order.byOrderId());
    });

    test('and what stays unknown is listed', async () => {
      const order = await crashed();
      expect(await order.unknown()).toMatchObject([{ invoiceNumber, decision: sending }]);
    });

    test('and it is not sent under its ID from its first write on', async () => {
      const order = await crashed();
      expect(await order.claim({ orderId }, 'a-2')).toBe(isMarked ? 'busy' : 'claimed');
    });
  });

  test('and nothing is listed of an order that had nothing unknown under its other name', async () => {
    const order = orderOnItsWay();
    await order.end(done);
    await expect(order.link(dying(2, 'after'))).rejects.toThrow('killed');
    expect(await order.unknown()).toEqual([]);
  });

  test('by several at once, whoever else comes between, with every attempt kept once', async () => {
    const outcomes = fc.constantFrom<ActionOutcome>(done, { state: 'withdrawn' }, { state: 'unknown' });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), outcomes, async (scheduler, outcome) => {
        const step: Step = async (_, effect) => scheduler.schedule(Promise.resolve()).then(effect);
        const order = orderOnItsWay();
        const verdicts = Promise.all([
          order.claim({ orderId }, 'a-2', step),
          order.claim({ invoiceNumber }, 'a-3', step),
          order.link(step),
          order.link(step),
          order.end(outcome, step),
        ]);
        const [byId, byInvoice] = await scheduler.waitFor(verdicts);

        const { decision } = (await order.byOrderId()) ?? {};
        expect((await order.byInvoiceNumber())?.decision).toEqual(decision);
        const attempts = [...(decision?.unknownOf ?? []), decision].map((one) => one?.attemptId);
        expect(new Set(attempts).size).toBe(attempts.length);
        const sent = [...(byId === 'claimed' ? ['a-2'] : []), ...(byInvoice === 'claimed' ? ['a-3'] : [])];
        expect(attempts).toEqual(expect.arrayContaining(sent));
        if (outcome.state === 'done') expect(decision).toMatchObject(done);
        if (sent.length === 0) expect(decision?.state).toBe(outcome.state);
      }),
      { numRuns: 500 },
    );
  });
});
