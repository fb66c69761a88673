import { describe, expect, test } from 'vitest';
import { ConnectorError } from '../../../../shared/errors/connector-error.ts';
import type { Step } from '../../../doubles/step.ts';
import { failure } from '../../support/failure.ts';
import { fakeLedger, LIFETIME_MS, messageOf, NOW, type Reply } from '../fake-ledger.ts';

/** A process that is killed at its operation `number`, before or after the effect. */
function dyingStep(number: number, dies: 'before' | 'after') {
  let done = 0;
  const step: Step = async (_, effect) => {
    done += 1;
    if (done > number || (done === number && dies === 'before')) throw new Error('killed');
    const result = effect();
    if (done === number) throw new Error('killed');
    return result;
  };
  return { step, hasDied: () => done >= number };
}

const MESSAGES = [
  messageOf('c-1', ['o-1', 'o-2', { orderId: 'o-3', invalid: true }]),
  messageOf('c-2', ['o-4', { orderId: 'o-5', refused: true }]),
  messageOf('c-3', ['o-6']),
];
const ROWS = ['c-1/0', 'c-1/1', 'c-2/0', 'c-2/1', 'c-3/0'];
const ORDERS = ['o-1', 'o-2', 'o-4', 'o-5', 'o-6'];

/** The outcomes of the rows after a crash at one operation and the redelivery or sweep that follows. */
async function endAfterCrash(
  number: number,
  dies: 'before' | 'after',
  {
    repeatable,
    redelivered,
    replies = [],
  }: { repeatable: boolean; redelivered: readonly (readonly string[])[]; replies?: readonly Reply[] },
) {
  const ledger = fakeLedger();
  const { world } = ledger;
  world.rowsPerRequest = 3;
  world.repeatable = repeatable;
  world.replies.push(...replies);
  const { step, hasDied } = dyingStep(number, dies);
  await ledger.receive(MESSAGES, step).catch(() => undefined);
  world.rowsPerRequest = 2;
  for (const bodies of redelivered) {
    world.now += LIFETIME_MS;
    const report = await ledger.receive(bodies);
    expect(report).toMatchObject({ failures: [], deferred: [] });
  }
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    world.now += 2 * 3_600_000;
    expect((await ledger.sweep()).failures).toEqual([]);
  }
  return { ...ledger, hasDied: hasDied() };
}

const REDELIVERIES = {
  together: [MESSAGES],
  'one by one, the last first': MESSAGES.toReversed().map((message) => [message]),
  'in other groups': [MESSAGES.slice(1), MESSAGES.slice(0, 2)],
};

describe.each(Object.entries(REDELIVERIES))('commands redelivered %s after a crash', (_, redelivered) => {
  test.each(['before', 'after'] as const)(
    '%s the effect of any operation end each row once',
    async (dies) => {
      for (let number = 1; ; number += 1) {
        const { world, hasDied, outcomeOf } = await endAfterCrash(number, dies, {
          repeatable: false,
          redelivered,
        });
        const at = `operation ${number}`;
        for (const [index, row] of ROWS.entries()) {
          const taken = world.effects.flat().filter((order) => order === ORDERS[index]).length;
          const outcome = outcomeOf(row);
          const expected = row === 'c-2/1' ? 'VAL_001' : 'answered';
          expect([expected, 'REQUEST_ABANDONED'], `${row} at ${at}`).toContain(outcome);
          expect(taken, `${row} at ${at}`).toBeLessThanOrEqual(1);
          if (outcome === 'answered') expect(taken, `${row} at ${at}`).toBe(1);
        }
        expect([...world.rejections.keys()], at).toEqual(['s-1 c-1#2']);
        if (!hasDied) break;
      }
    },
  );

  test('accept every row when requests may be repeated', async () => {
    for (let number = 1; ; number += 1) {
      const { hasDied, outcomeOf } = await endAfterCrash(number, 'after', { repeatable: true, redelivered });
      for (const row of ROWS) expect(outcomeOf(row)).toBe(row === 'c-2/1' ? 'VAL_001' : 'answered');
      if (!hasDied) break;
    }
  });
});

const timeoutAfterEffect: Reply = {
  error: failure('TIMEOUT', { outcome: 'unknown', retryable: true }),
  hasEffect: true,
};

test.each([
  ['', { repeatable: false, replies: [] }],
  [', also after a first try of unknown outcome', { repeatable: true, replies: [{}, timeoutAfterEffect] }],
])('requests sent before a crash are ended by the sweeper when no delivery follows%s', async (_, options) => {
  for (let number = 1; ; number += 1) {
    const { world, hasDied, outcomeOf } = await endAfterCrash(number, 'after', {
      ...options,
      redelivered: [],
    });
    for (const [index, row] of ROWS.entries()) {
      if (!world.effects.flat().includes(ORDERS[index] ?? '')) continue;
      expect(outcomeOf(row), `${row} at operation ${number}`).toMatch(/^[^,]+$/);
    }
    if (!hasDied) break;
  }
});

describe.each(['before', 'after'] as const)('a process that dies %s one of its operations', (dies) => {
  test('never has two commands with one commandId performed, and the other one is rejected', async () => {
    const first = messageOf('c-1', ['o-1']);
    const other = messageOf('c-1', ['o-2'], { id: 'event-2', time: new Date(NOW + 1).toISOString() });
    const third = messageOf('c-3', ['o-3']);
    for (let number = 1, isLast = false; !isLast; number += 1) {
      const { receive, sweep, world } = fakeLedger();
      const { step, hasDied } = dyingStep(number, dies);
      await receive([third, first, other], step).catch(() => undefined);
      isLast = !hasDied();
      for (const bodies of [[third], [other], [first], [other]]) {
        world.now += LIFETIME_MS;
        expect(await receive(bodies)).toMatchObject({ failures: [], deferred: [] });
      }
      world.now += 2 * 3_600_000;
      await sweep();
      const performed = world.effects.flat().filter((order) => order !== 'o-3');
      expect(new Set(performed).size, `at operation ${number}`).toBeLessThanOrEqual(1);
      const rejections = [...world.rejections.values()];
      expect(rejections, `at operation ${number}`).toMatchObject([{ code: 'COMMAND_ID_REUSED' }]);
      const owners = performed.map((order) => (order === 'o-1' ? 'event-c-1' : 'event-2'));
      expect(owners, `at operation ${number}`).not.toContain(rejections[0]?.eventId);
    }
  });
});

test('a request whose answer could not be stored is not sent again, also when the table refuses the write', async () => {
  const { receive, world, outcomeOf } = fakeLedger();
  let isAnswered = false;
  const step: Step = async (operation, effect) => {
    if (isAnswered && operation.startsWith('requests.replace')) {
      isAnswered = false;
      throw new ConnectorError('too many writes', { code: 'WRITE_CONTENTION', retryable: true });
    }
    const result = effect();
    isAnswered ||= operation === 'marketplace.send';
    return result;
  };
  const message = messageOf('c-1', ['o-1']);
  expect(await receive([message], step)).toMatchObject({ deferred: [{ code: 'WRITE_CONTENTION' }] });
  world.now += LIFETIME_MS;
  await receive([message]);
  expect(world.effects).toEqual([['o-1']]);
  expect(outcomeOf('c-1/0')).toBe('REQUEST_ABANDONED');
});

test('the plan that a crashed delivery left in a shared request counts the rows that were rejected', async () => {
  const { receive, world } = fakeLedger();
  const messages = [
    messageOf('c-1', ['o-1']),
    messageOf('c-2', ['o-2', { orderId: 'o-3', invalid: true }, { orderId: 'o-4', invalid: true }]),
  ];
  let plans = 0;
  const step: Step = async (operation, effect) => {
    plans += operation.startsWith('plans.replace') ? 1 : 0;
    if (plans > 1) throw new Error('killed');
    return effect();
  };
  await receive(messages, step).catch(() => undefined);
  await receive(messages.slice(0, 1));
  expect(world.effects).toEqual([['o-1', 'o-2']]);
  expect(world.plans.all().map(({ rejected }) => rejected)).toEqual([0, 2]);
});
