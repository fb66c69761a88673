import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fail } from '../support/failure.ts';
import { LOCK_MS, orderDesk, orderIdOf, type Reply } from './order-desk.ts';

const orderId = orderIdOf(1);

/** How the marketplace answers a decision, and whether the decision takes effect. */
const behaviours = {
  taken: { reply: (() => ({ success: true })) as Reply, effect: true },
  refused: { reply: fail({ code: 'ORDER_001' }), effect: false },
  busy: { reply: fail({ code: 'SYS_DEP_503', retryable: true }), effect: false },
  notSent: { reply: fail({ code: 'CONNECT_FAILED', outcome: 'not-sent', retryable: true }), effect: false },
  lostAfter: { reply: fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true }), effect: true },
  lostBefore: { reply: fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true }), effect: false },
} as const;
type Behaviour = keyof typeof behaviours;

const step = fc.record({
  decision: fc.constantFrom('accept', 'reject'),
  retry: fc.boolean(),
  /** Few IDs, so that commands are redelivered. */
  commandId: fc.integer({ min: 0, max: 3 }).map((id) => `c-${id}`),
  behaviour: fc.constantFrom<Behaviour>('taken', 'refused', 'busy', 'notSent', 'lostAfter', 'lostBefore'),
  /** Whether the next command arrives while this one runs. */
  together: fc.boolean(),
});

test('an order never takes two decisions, for any commands and any outcomes of their requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const desk = orderDesk();
      const effects: (string | undefined)[] = [];
      const known: string[] = [];
      let behaviour: Behaviour = 'taken';
      const { decideOrders } = desk.ports.calls;
      desk.ports.calls.decideOrders = async (store, request, options) => {
        expect(known, 'sent although it was known to be taken').toEqual([]);
        const { reply, effect } = behaviours[behaviour];
        desk.replies.push(reply);
        if (effect) effects.push(request.items[0]?.decision);
        return decideOrders(store, request, options);
      };
      let running: Promise<unknown>[] = [];
      for (const { commandId, decision, retry, behaviour: next, together } of steps) {
        behaviour = next;
        const done = desk.decide(commandId, [{ orderId, decision }], { retry }).catch(() => undefined);
        running.push(done);
        if (together) continue;
        await Promise.all(running);
        running = [];
        const record = (await desk.order(`orderId:${orderId}`))?.decision;
        if (record?.state === 'accepted') known.push(record.decision ?? '');
        desk.pass(LOCK_MS);
      }
      await Promise.all(running);
      expect(new Set(effects).size, `took ${effects.join(', ')}`).toBeLessThanOrEqual(1);
    }),
    { numRuns: 300 },
  );
});
