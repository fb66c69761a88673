import { describe, expect, test } from 'vitest';
import { failure } from '../../support/failure.ts';
import { connectedStore, fakeLedger, messageOf } from '../fake-ledger.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const timeout = () => failure('TIMEOUT', { outcome: 'unknown', retryable: true });

/** A repeatable request that was sent and never answered; its command is deferred. */
async function unanswered() {
  const ledger = fakeLedger();
  ledger.world.repeatable = true;
  ledger.world.replies.push(...Array.from({ length: 6 }, () => ({ error: timeout() })));
  await ledger.receive([messageOf('c-1', ['o-1'])]);
  ledger.world.replies.length = 0;
  return ledger;
}

describe('the sweeper of requests', () => {
  test('ignores requests that were never sent, whatever their age', async () => {
    const { receive, world, sweep } = fakeLedger();
    world.replies.push({ error: failure('HTTP_404') });
    await receive([messageOf('c-1', ['o-1'])]);
    world.now += 30 * DAY;
    expect(await sweep()).toEqual({ ended: 0, failures: [] });
  });

  test('applies an unapplied end after five minutes', async () => {
    const { receive, world, sweep, outcomeOf } = fakeLedger();
    await receive([messageOf('c-1', ['o-1'])], async (operation, effect) => {
      if (operation.startsWith('apply')) throw new Error('killed');
      return effect();
    });
    world.now += 5 * MINUTE;
    expect(await sweep()).toEqual({ ended: 0, failures: [] });
    world.now += 1;
    expect(await sweep()).toEqual({ ended: 1, failures: [] });
    expect(outcomeOf('c-1/0')).toBe('answered');
    expect(await sweep()).toEqual({ ended: 0, failures: [] });
  });

  test('marks a sent request as unknown an hour after the last delivery of its command', async () => {
    const { world, sweep, outcomeOf } = await unanswered();
    world.now += HOUR - MINUTE;
    expect(await sweep()).toMatchObject({ ended: 0 });
    world.now += 2 * MINUTE;
    expect(await sweep()).toMatchObject({ ended: 1 });
    expect(outcomeOf('c-1/0')).toBe('REQUEST_ABANDONED');
  });

  test('waits while the command is redelivered, although it can send nothing', async () => {
    const { world, receive, sweep, outcomeOf } = await unanswered();
    for (let hour = 0; hour < 3; hour += 1) {
      world.now += 50 * MINUTE;
      world.replies.push({ error: failure('LIMIT_REACHED', { outcome: 'not-sent' }), beforeLeaving: true });
      await receive([messageOf('c-1', ['o-1'])]);
      expect(await sweep()).toMatchObject({ ended: 0 });
    }
    await receive([messageOf('c-1', ['o-1'])]);
    expect(outcomeOf('c-1/0')).toBe('answered');
  });

  test('waits while the command is redelivered behind another one whose request fails', async () => {
    const { world, receive, sweep } = await unanswered();
    for (let hour = 0; hour < 3; hour += 1) {
      world.now += 50 * MINUTE;
      world.replies.push({ error: failure('HTTP_404'), beforeLeaving: true });
      await receive([messageOf('c-0', ['o-0']), messageOf('c-1', ['o-1'])]);
      expect(await sweep()).toMatchObject({ ended: 0 });
    }
  });

  test('waits a week for a store to be connected, and an hour after that', async () => {
    const { world, sweep } = await unanswered();
    world.stores.set('s-1', { ...connectedStore('s-1'), state: 'suspended' });
    world.now += 7 * DAY - MINUTE;
    expect(await sweep()).toMatchObject({ ended: 0 });
    world.stores.set('s-1', { ...connectedStore('s-1'), updatedAt: new Date(world.now).toISOString() });
    world.now += 50 * MINUTE;
    expect(await sweep()).toMatchObject({ ended: 0 });
    world.now += 11 * MINUTE;
    expect(await sweep()).toMatchObject({ ended: 1 });
  });

  test('ends requests that have waited for a store for more than a week', async () => {
    const { world, sweep } = await unanswered();
    world.stores.set('s-1', { ...connectedStore('s-1'), state: 'unbound' });
    world.now += 7 * DAY + MINUTE;
    expect(await sweep()).toMatchObject({ ended: 1 });
  });

  test('ends each half of a split request separately', async () => {
    const { world, receive, sweep, outcomeOf } = fakeLedger();
    world.repeatable = true;
    world.replies.push({ error: timeout() }, {}, ...Array.from({ length: 6 }, () => ({ error: timeout() })));
    await receive([messageOf('c-1', [{ orderId: 'o-1', refused: true }, 'o-2'])]);
    world.now += 2 * HOUR;
    await sweep();
    expect([0, 1].map((row) => outcomeOf(`c-1/${row}`))).toEqual(['REQUEST_ABANDONED', 'REQUEST_ABANDONED']);
    expect(world.requests.all().every(({ appliedAt }) => appliedAt !== undefined)).toBe(true);
  });

  test('records the halves of a split request whose sender was killed before it could', async () => {
    const { world, receive, sweep, outcomeOf } = fakeLedger();
    world.repeatable = true;
    world.replies.push({ error: timeout() }, {});
    await receive(
      [messageOf('c-1', [{ orderId: 'o-1', refused: true }, 'o-2'])],
      async (operation, effect) => {
        if (operation === 'requests.get id-1.0') throw new Error('killed');
        return effect();
      },
    );
    world.now += 2 * HOUR;
    await sweep();
    await sweep();
    expect([0, 1].map((row) => outcomeOf(`c-1/${row}`))).toEqual(['REQUEST_ABANDONED', 'REQUEST_ABANDONED']);
  });

  test('continues with the others when one fails', async () => {
    const { world, receive, sweep } = fakeLedger();
    world.rowsPerRequest = 1;
    await receive([messageOf('c-1', ['o-1']), messageOf('c-2', ['o-2'])], async (operation, effect) => {
      if (operation.startsWith('apply')) throw new Error('killed');
      return effect();
    });
    world.now += HOUR;
    let failed = false;
    const swept = await sweep(async (operation, effect) => {
      if (!operation.startsWith('apply') || failed) return effect();
      failed = true;
      throw new Error('down');
    });
    expect(swept).toMatchObject({ ended: 1, failures: [{ message: 'down' }] });
  });
});
