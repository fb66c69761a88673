import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { planKey } from '../../../../shared/requests/model.ts';
import { NotYetError } from '../../../../shared/requests/rules/deferral.ts';
import type { Step } from '../../../doubles/step.ts';
import { failure } from '../../support/failure.ts';
import { connectedStore, fakeLedger, LIFETIME_MS, messageOf, NOW } from '../fake-ledger.ts';

const timeout = () => failure('TIMEOUT', { outcome: 'unknown', retryable: true });
const busy = () => failure('SYS_DEP_503', { retryable: true });
const HOUR = 3_600_000;

describe('commands received together', () => {
  test('share requests, and each row is sent and applied once', async () => {
    const { receive, world, outcomeOf } = fakeLedger();
    const report = await receive([messageOf('c-1', ['o-1']), messageOf('c-2', ['o-2', 'o-3'])]);
    expect(report).toMatchObject({ failures: [], deferred: [], rejected: 0 });
    expect(report.requests).toHaveLength(2);
    expect(world.effects).toEqual([['o-1', 'o-2'], ['o-3']]);
    for (const row of ['c-1/0', 'c-2/0', 'c-2/1']) expect(outcomeOf(row)).toBe('answered');
  });

  test('have their rows archived once, and not read back by the same invocation, also when they are split or confirmed', async () => {
    const { receive, world } = fakeLedger();
    const operations: string[] = [];
    const step: Step = async (operation, effect) => {
      operations.push(operation);
      return effect();
    };
    const refused = [{ orderId: 'o-1', refused: true }, 'o-2', { orderId: 'o-3', invalid: true }];
    await receive([messageOf('c-1', refused), messageOf('c-2', ['o-4'])], step);
    expect(world.effects).toEqual([['o-2'], ['o-4']]);
    const written = operations.filter((operation) => operation.startsWith('requests.put requests/'));
    expect(new Set(written).size).toBe(written.length);
    expect(operations.filter((operation) => operation.startsWith('requests.get requests/'))).toEqual([]);
    // Another invocation reads them: they are not in its memory.
    operations.length = 0;
    world.replies.push(...Array.from({ length: 6 }, () => ({ error: busy() })));
    await receive([messageOf('c-3', ['o-5'])]);
    await receive([world.later.splice(0)[0]?.body ?? ''], step);
    expect(operations.filter((operation) => operation.startsWith('requests.get requests/'))).toHaveLength(1);
  });

  test('have no second effect when they are redelivered in another group and with other settings', async () => {
    const { receive, world } = fakeLedger();
    await receive([messageOf('c-1', ['o-1']), messageOf('c-2', ['o-2', 'o-3'])]);
    world.rowsPerRequest = 5;
    const again = await receive([messageOf('c-2', ['o-2', 'o-3']), messageOf('c-3', ['o-4'])]);
    expect(world.effects).toEqual([['o-1', 'o-2'], ['o-3'], ['o-4']]);
    expect(again.requests.filter(({ appliedAt }) => appliedAt === undefined)).toHaveLength(1);
  });

  test('count once when one of them is delivered twice at once', async () => {
    const { receive, world } = fakeLedger();
    const report = await receive([messageOf('c-1', ['o-1']), messageOf('c-1', ['o-1'])]);
    expect(world.effects).toEqual([['o-1']]);
    expect(report.failures).toEqual([]);
  });

  test('have their warnings in the report of the delivery that ends them', async () => {
    const { receive, world } = fakeLedger();
    world.replies.push(...Array.from({ length: 6 }, () => ({ error: busy() })));
    const bodies = [messageOf('c-1', ['o-1 '])];
    expect((await receive(bodies)).warnings).toEqual([]);
    world.replies.length = 0;
    const { warnings } = await receive([world.later[0]?.body ?? '', messageOf('c-2', ['o-2'])]);
    expect(warnings).toMatchObject([{ storeClientId: 's-1', commandId: 'c-1', code: 'ORDER_WHITE_SPACE' }]);
  });

  test('keep the first plan when two deliveries in different groups plan at once', async () => {
    const { receive, world, outcomeOf } = fakeLedger();
    const [one, two, three] = ['c-1', 'c-2', 'c-3'].map((id, n) => messageOf(id, [`o-${n}`]));
    const reports = await Promise.all([receive([one ?? '', two ?? '']), receive([two ?? '', three ?? ''])]);
    expect(reports.flatMap(({ failures }) => failures)).toEqual([]);
    expect(world.effects.flat().toSorted()).toEqual(['o-0', 'o-1', 'o-2']);
    for (const row of ['c-1/0', 'c-2/0', 'c-3/0']) expect(outcomeOf(row)).toBe('answered');
  });

  test('are rejected one by one when they break a rule, and the others continue', async () => {
    const { receive, world, outcomeOf } = fakeLedger();
    const report = await receive([
      'no JSON',
      messageOf('c-1', [{ orderId: 'o-1', invalid: true }, 'o-2']),
      messageOf('c-2', ['o-3'], { detail: { storeClientId: 's-9', commandId: 'c-2', items: [{}] } }),
      messageOf('c-3', ['o-4'], { time: new Date(NOW + 6 * 60_000).toISOString() }),
    ]);
    expect(report).toMatchObject({ failures: [], rejected: 4 });
    const codes = [...world.rejections.values()].map(({ code }) => code);
    expect(codes.toSorted()).toEqual(['EVENT_INVALID', 'STORE_UNKNOWN', 'VAL_001', 'VERSION_FUTURE']);
    expect(world.effects).toEqual([['o-2']]);
    expect(outcomeOf('c-1/1')).toBe('answered');
  });

  test('do not fail with another one of their store whose address is refused', async () => {
    const { receive, world, outcomeOf } = fakeLedger();
    world.replies.push({ error: failure('HTTP_404') });
    const report = await receive([messageOf('c-1', ['o-1', 'o-2']), messageOf('c-2', ['o-3'])]);
    expect(report).toMatchObject({
      failures: [{ commandId: 'c-1', error: { code: 'HTTP_404' } }],
      deferred: [],
    });
    expect(world.effects).toEqual([['o-3']]);
    expect(outcomeOf('c-2/0')).toBe('answered');
  });

  test('do not delay those of another store', async () => {
    const { receive, world } = fakeLedger();
    world.stores.set('s-1', { ...connectedStore('s-1'), state: 'suspended' });
    world.stores.set('s-2', connectedStore('s-2'));
    const other = messageOf('c-2', [], {
      detail: { storeClientId: 's-2', commandId: 'c-2', items: [{ orderId: 'o-2' }] },
    });
    const report = await receive([messageOf('c-1', ['o-1']), other]);
    expect(report.deferred).toMatchObject([{ code: 'STORE_NOT_CONNECTED', commandId: 'c-1' }]);
    expect(world.effects).toEqual([['o-2']]);
  });
});

describe('where it is listed that commands wait', () => {
  const waiting = Array.from({ length: 50 }, (_, number) => messageOf(`c-${number}`, [`o-${number}`]));

  test('is noted for a few of them at a time', async () => {
    const { receive, world } = fakeLedger();
    world.stores.set('s-1', { ...connectedStore('s-1'), state: 'suspended' });
    let [running, most, noted] = [0, 0, 0];
    world.noteWaiting = async () => {
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      running -= 1;
      noted += 1;
    };
    expect((await receive(waiting)).deferred).toHaveLength(50);
    expect([noted, most]).toEqual([50, 10]);
  });

  test('is noted to its end before the delivery ends, also when a note fails, which fails no command', async () => {
    const { receive, world } = fakeLedger();
    world.stores.set('s-1', { ...connectedStore('s-1'), state: 'suspended' });
    const noted: string[] = [];
    world.noteWaiting = async ({ commandId }) => {
      if (commandId === 'c-0') throw new Error('the table does not answer');
      await setImmediate();
      noted.push(commandId);
    };
    const report = await receive(waiting);
    expect(report).toMatchObject({ failures: [], deferred: { length: 50 } });
    expect(noted).toHaveLength(49);
  });
});

describe('a command whose commandId an earlier command had', () => {
  const first = messageOf('c-1', ['o-1']);
  const other = messageOf('c-1', ['o-2'], { id: 'event-2', time: new Date(NOW + 1).toISOString() });
  const codesOf = ({ rejections }: ReturnType<typeof fakeLedger>['world']) =>
    [...rejections.values()].map(({ eventId, code }) => `${eventId} ${code}`);

  test.each([
    ['later', [[first], [other]]],
    ['with it', [[first, other]]],
    ['with a redelivery of the earlier one, and again', [[first], [other, first], [other]]],
  ])('is rejected when it comes %s and asks for something else', async (_, receives) => {
    const { receive, world } = fakeLedger();
    for (const bodies of receives)
      expect(await receive(bodies)).toMatchObject({ failures: [], deferred: [] });
    expect(world.effects).toEqual([['o-1']]);
    expect(codesOf(world)).toEqual(['event-2 COMMAND_ID_REUSED']);
  });

  test('has a rejection of its own, also when several come in one second', async () => {
    const { receive, world } = fakeLedger();
    const discarded = { ...connectedStore('s-1'), discardedAt: new Date(NOW).toISOString() };
    world.stores.set('s-1', discarded);
    await receive([first]);
    world.stores.set('s-1', connectedStore('s-1'));
    await receive(['event-2', 'event-3'].map((id) => messageOf('c-1', [`${id}/o`], { id })));
    expect(codesOf(world)).toEqual([
      'event-c-1 COMMAND_DISCARDED',
      'event-2 COMMAND_ID_REUSED',
      'event-3 COMMAND_ID_REUSED',
    ]);
  });

  test('is rejected when both are planned at once', async () => {
    const { receive, world } = fakeLedger();
    await Promise.all([receive([first]), receive([other, messageOf('c-2', ['o-3'])])]);
    expect(world.effects.flat().filter((order) => order !== 'o-3')).toHaveLength(1);
    expect(codesOf(world)).toHaveLength(1);
  });

  test('counts as a redelivery when it asks for the same, in another event and with its fields in another order', async () => {
    const { receive, world } = fakeLedger();
    await receive([first]);
    const detail = { items: [{ orderId: 'o-1' }], commandId: 'c-1', storeClientId: 's-1' };
    await receive([messageOf('c-1', [], { id: 'event-3', time: new Date(NOW + 1).toISOString(), detail })]);
    expect(world.effects).toEqual([['o-1']]);
    expect(codesOf(world)).toEqual([]);
  });

  test('counts as a redelivery when its event is the same, though it is read differently after a deployment', async () => {
    const { receive, world } = fakeLedger();
    await receive([first]);
    await receive([messageOf('c-1', [{ orderId: 'o-1', refused: false }])]);
    expect(world.effects).toEqual([['o-1']]);
    expect(codesOf(world)).toEqual([]);
  });
});

describe('a command that can not continue', () => {
  test('waits for its store without a plan, so that it can be discarded whole', async () => {
    const { receive, world } = fakeLedger();
    world.stores.set('s-1', { ...connectedStore('s-1'), state: 'suspended' });
    await receive([messageOf('c-1', ['o-1'])]);
    const at = new Date(NOW).toISOString();
    expect(JSON.parse(world.later[0]?.body ?? '')).toMatchObject({ id: 'event-c-1', time: at });
    world.stores.set('s-1', { ...connectedStore('s-1'), discardedAt: at });
    const report = await receive([world.later[0]?.body ?? '']);
    expect(report).toMatchObject({ deferred: [], rejected: 1 });
    expect([...world.rejections.values()]).toMatchObject([{ code: 'COMMAND_DISCARDED' }]);
    expect(world.effects).toEqual([]);
  });

  test.each([
    ['before a discard of the same second is discarded', 300, ['COMMAND_DISCARDED'], []],
    ['after a discard of the same second is performed, though the bus cuts its time', 700, [], [['o-1']]],
  ])('that was given %s', async (_, receivedAfterMs, codes, effects) => {
    const { receive, world } = fakeLedger();
    world.stores.set('s-1', { ...connectedStore('s-1'), discardedAt: new Date(NOW + 500).toISOString() });
    world.sentAt = NOW + receivedAfterMs;
    await receive([messageOf('c-1', ['o-1'])]);
    expect([...world.rejections.values()].map(({ code }) => code)).toEqual(codes);
    expect(world.effects).toEqual(effects);
  });

  test('is discarded when it came before, though the clock of its sender is ahead', async () => {
    const { receive, world } = fakeLedger();
    world.stores.set('s-1', { ...connectedStore('s-1'), discardedAt: new Date(NOW + 60_000).toISOString() });
    world.now = NOW + 60_000;
    await receive([messageOf('c-1', ['o-1'], { time: new Date(NOW + 120_500).toISOString() })]);
    expect([...world.rejections.values()]).toMatchObject([{ code: 'COMMAND_DISCARDED' }]);
    expect(world.effects).toEqual([]);
  });

  test('is discarded where it had no effect yet, and continues where it may have had one', async () => {
    const { receive, world, outcomeOf } = fakeLedger();
    world.rowsPerRequest = 1;
    world.repeatable = true;
    const items = ['o-1', 'o-2', 'o-3'];
    world.replies.push({}, ...Array.from({ length: 5 }, () => ({ error: timeout() })));
    await receive([messageOf('c-1', items)]);
    world.stores.set('s-1', { ...connectedStore('s-1'), discardedAt: new Date(NOW).toISOString() });
    world.now += LIFETIME_MS;
    await receive([messageOf('c-1', items)]);
    expect(items.map((_, row) => outcomeOf(`c-1/${row}`))).toEqual([
      'answered',
      'answered',
      'COMMAND_DISCARDED',
    ]);
    expect(world.effects).toEqual([['o-1'], ['o-2']]);
  });

  test.each([
    ['is discarded, though it was sent before the store was suspended', {}, 'COMMAND_DISCARDED'],
    ['ends as unknown when its first try may have had an effect', { error: timeout() }, 'unknown'],
  ])('%s and everything was discarded', async (_, first, outcome) => {
    const { receive, world, records, outcomeOf } = fakeLedger();
    world.repeatable = true;
    world.replies.push(...('error' in first ? [first] : []), { error: failure('AUTH_014') });
    await receive([messageOf('c-1', ['o-1'])]);
    const [store = connectedStore('s-1')] = world.stores.values();
    expect(store.state).toBe('suspended');
    world.stores.set('s-1', { ...store, discardedAt: new Date(NOW).toISOString() });
    world.now += LIFETIME_MS;
    const report = await receive([world.later[0]?.body ?? '']);
    expect(report).toMatchObject({ deferred: [], failures: [] });
    expect([outcomeOf('c-1/0'), ...records()].join()).toContain(outcome);
    expect(world.effects).toEqual([]);
  });

  test('is retried with growing pauses, then deferred, while the marketplace fails temporarily', async () => {
    const { receive, world, records } = fakeLedger();
    world.replies.push(...Array.from({ length: 5 }, () => ({ error: busy() })));
    const report = await receive([messageOf('c-1', ['o-1'])]);
    expect(world.pauses).toEqual([1000, 2000, 4000, 8000]);
    expect(report.deferred).toMatchObject([{ code: 'SYS_DEP_503', delayMs: 15_000, ageMs: 15_000 }]);
    expect(records()[0]).toMatch(/prepared$/);
    world.replies.length = 0;
    await receive([world.later[0]?.body ?? '']);
    expect(world.effects).toEqual([['o-1']]);
  });

  test('is sent once by each later delivery while the marketplace keeps failing, and keeps none from others', async () => {
    const { receive, world } = fakeLedger();
    world.replies.push(...Array.from({ length: 8 }, () => ({ error: busy() })));
    await receive([messageOf('c-1', ['o-1'])]);
    world.pauses.length = 0;
    for (const left of [2, 1, 0]) {
      await receive([world.later.splice(0)[0]?.body ?? '']);
      expect(world.replies).toHaveLength(left);
    }
    expect(world.pauses).toEqual([]);
    await receive([world.later[0]?.body ?? '']);
    expect(world.effects).toEqual([['o-1']]);
  });

  test('fails its message when the rows of a shared request are no longer archived', async () => {
    const { receive, world } = fakeLedger();
    const shared = messageOf('c-2', ['o-2']);
    world.replies.push(...Array.from({ length: 12 }, () => ({ error: busy() })));
    await receive([messageOf('c-8', ['o-8', 'o-8']), messageOf('c-1', ['o-1']), shared]);
    const key = planKey({ storeClientId: 's-1', commandId: 'c-2', detailType: 'order.decision.requested' });
    world.plans.replace(key, { recordIds: ['elsewhere'], rejected: 0, plannedAt: '' }, 1, {});
    world.archive.clear();
    const report = await receive([messageOf('c-1', ['o-1'])]);
    expect(report).toMatchObject({ failures: [{ error: { code: 'ROWS_NOT_KEPT' } }] });
    expect(world.effects).toEqual([]);
  });

  test('fails its message when the marketplace has failed for a day', async () => {
    const { receive, world } = fakeLedger();
    world.now = NOW + 24 * HOUR;
    world.replies.push(...Array.from({ length: 6 }, () => ({ error: busy() })));
    const report = await receive([messageOf('c-1', ['o-1'])]);
    expect(report).toMatchObject({ failures: [{ messageId: 'm-0' }], deferred: [] });
  });

  test('waits for more than 24 hours while nothing is sent from restored tables, and keeps no other request waiting for a try', async () => {
    const { receive, world, outcomeOf } = fakeLedger();
    world.rowsPerRequest = 1;
    const restored = failure('TABLES_RESTORED', {
      outcome: 'not-sent',
      retryable: true,
      retryAfterMs: 60_000,
    });
    world.replies.push({ error: restored, beforeLeaving: true });
    world.now += 72 * HOUR;
    const report = await receive([messageOf('c-1', ['o-1', 'o-2'])]);
    expect(report).toMatchObject({ failures: [], deferred: [{ code: 'TABLES_RESTORED', ageMs: 72 * HOUR }] });
    expect(world.pauses).toEqual([]);
    expect(world.effects).toEqual([]);
    await receive(world.later.map(({ body }) => body));
    expect(world.effects).toEqual([['o-1'], ['o-2']]);
    expect(outcomeOf('c-1/1')).toBe('answered');
  });

  test('that is given long after its own time waits as long as any other while the marketplace fails', async () => {
    const { receive, world } = fakeLedger();
    const failing = () => world.replies.push(...Array.from({ length: 5 }, () => ({ error: busy() })));
    failing();
    const old = messageOf('c-1', ['o-1'], { time: '2026-01-01T00:00:00.000Z' });
    expect((await receive([old])).deferred).toMatchObject([{ delayMs: 15_000, ageMs: 15_000 }]);
    world.now += 2 * HOUR;
    world.sentAt = world.now;
    failing();
    const [again] = (await receive([world.later[0]?.body ?? ''])).deferred;
    expect(again).toMatchObject({ delayMs: 600_000, ageMs: 2 * HOUR + 15_000 });
  });

  test('stops the commands of its store when the time is over and something was sent', async () => {
    const { receive, world } = fakeLedger();
    world.rowsPerRequest = 1;
    const report = await receive([messageOf('c-1', ['o-1', 'o-2'])], undefined, NOW);
    expect(report.deferred).toMatchObject([{ code: 'OUT_OF_TIME' }]);
    expect(world.effects).toEqual([['o-1']]);
    await receive([world.later[0]?.body ?? '']);
    expect(world.effects).toEqual([['o-1'], ['o-2']]);
  });

  test('is deferred for as long as its domain says, with its request recorded as without effect', async () => {
    const { receive, world, records } = fakeLedger();
    world.replies.push({ error: new NotYetError('not yet', { code: 'ORDER_021', delayMs: 42_000 }) });
    const report = await receive([messageOf('c-1', ['o-1'])]);
    expect(report.deferred).toMatchObject([{ code: 'ORDER_021', delayMs: 42_000 }]);
    expect(records()[0]).toMatch(/prepared$/);
    await receive([world.later[0]?.body ?? '']);
    expect(world.effects).toEqual([['o-1']]);
  });
});

describe('the credentials of a store', () => {
  test('suspend it when they are refused, and its commands wait', async () => {
    const { receive, world } = fakeLedger();
    world.replies.push({ error: failure('AUTH_014') });
    const report = await receive([messageOf('c-1', ['o-1', 'o-2', 'o-3'])]);
    expect(report.deferred).toMatchObject([{ code: 'STORE_NOT_CONNECTED' }]);
    expect(world.stores.get('s-1')?.state).toBe('suspended');
    expect(world.events.map(({ detailType }) => detailType)).toEqual(['store.suspended']);
  });

  test('are used at once when they were rotated meanwhile', async () => {
    const { receive, world } = fakeLedger();
    const meanwhile = async () =>
      world.stores.set('s-1', { ...connectedStore('s-1'), storeToken: 'token-2' });
    world.replies.push({ error: failure('AUTH_014'), meanwhile });
    await receive([messageOf('c-1', ['o-1'])]);
    expect(world.effects).toEqual([['o-1']]);
    expect(world.stores.get('s-1')?.state).toBe('connected');
  });
});

describe('a request in the ledger that is refused as a whole', () => {
  test('is split in halves, down to the invalid row', async () => {
    const { receive, world, outcomeOf } = fakeLedger();
    world.rowsPerRequest = 5;
    const items = ['o-1', 'o-2', { orderId: 'o-3', refused: true }, 'o-4', 'o-5'];
    const report = await receive([messageOf('c-1', items)]);
    expect([0, 1, 2, 3, 4].map((row) => outcomeOf(`c-1/${row}`))).toEqual([
      'answered',
      'answered',
      'VAL_001',
      'answered',
      'answered',
    ]);
    expect(world.effects.flat()).toEqual(['o-1', 'o-2', 'o-4', 'o-5']);
    expect(report).toMatchObject({ failures: [], deferred: [] });
    expect(world.requests.all().every(({ appliedAt }) => appliedAt !== undefined)).toBe(true);
  });

  test('is neither split nor sent again for a fault that no row caused', async () => {
    const { receive, world } = fakeLedger();
    world.replies.push({ error: failure('HTTP_404') });
    const report = await receive([messageOf('c-1', ['o-1', 'o-2'])]);
    expect(report).toMatchObject({ failures: [{ messageId: 'm-0' }], deferred: [] });
    await receive([messageOf('c-1', ['o-1', 'o-2'])]);
    expect(world.effects).toEqual([['o-1', 'o-2']]);
  });
});

describe('a request in the ledger with an unknown outcome', () => {
  test('ends as unknown when it must not be repeated', async () => {
    const { receive, world, outcomeOf } = fakeLedger();
    world.replies.push({ error: timeout(), hasEffect: true });
    const report = await receive([messageOf('c-1', ['o-1'])]);
    expect(report).toMatchObject({ failures: [], deferred: [] });
    expect(outcomeOf('c-1/0')).toBe('TIMEOUT');
    await receive([messageOf('c-1', ['o-1'])]);
    expect(world.effects).toEqual([['o-1']]);
  });

  test('is sent again when it may be repeated, and stays uncertain through a split', async () => {
    const { receive, world, outcomeOf } = fakeLedger();
    world.repeatable = true;
    world.replies.push({ error: timeout() });
    await receive([messageOf('c-1', ['o-1', { orderId: 'o-2', refused: true }])]);
    expect([0, 1].map((row) => outcomeOf(`c-1/${row}`))).toEqual(['answered', 'VAL_001']);
    expect(world.requests.all().map(({ uncertain }) => uncertain)).toEqual([true, true, true]);
  });

  test('is not recorded when only a read before the request failed', async () => {
    const { receive, world, outcomeOf } = fakeLedger();
    world.replies.push({ error: timeout(), beforeLeaving: true });
    await receive([messageOf('c-1', ['o-1'])]);
    expect(world.effects).toEqual([['o-1']]);
    expect(outcomeOf('c-1/0')).toBe('answered');
  });

  test('waits for its lifetime when its sender was killed, then ends unknown or is sent again', async () => {
    for (const repeatable of [false, true]) {
      const { receive, world, outcomeOf } = fakeLedger();
      world.repeatable = repeatable;
      world.replies.push({ error: new Error('killed'), hasEffect: true });
      expect((await receive([messageOf('c-1', ['o-1'])])).failures).toMatchObject([{ messageId: 'm-0' }]);
      world.now += LIFETIME_MS - 1;
      const early = await receive([messageOf('c-1', ['o-1'])]);
      expect(early.deferred).toMatchObject([{ code: 'REQUEST_BUSY' }]);
      world.now += 1;
      await receive([messageOf('c-1', ['o-1'])]);
      expect(outcomeOf('c-1/0')).toBe(repeatable ? 'answered' : 'REQUEST_ABANDONED');
      expect(world.effects).toHaveLength(repeatable ? 2 : 1);
    }
  });
});

test('two concurrent deliveries of a command send its request once', async () => {
  const { receive, world } = fakeLedger();
  const reports = await Promise.all([1, 2, 3].map(() => receive([messageOf('c-1', ['o-1'])])));
  expect(world.effects).toEqual([['o-1']]);
  expect(reports.flatMap(({ failures }) => failures)).toEqual([]);
});

test('a refusal of an earlier try does not split a request that another delivery is sending', async () => {
  const { receive, world, outcomeOf } = fakeLedger();
  world.repeatable = true;
  const meanwhile = async () => {
    world.now += LIFETIME_MS;
    await receive([messageOf('c-1', ['o-1', 'o-2'])]);
  };
  world.replies.push({ error: failure('VAL_001'), meanwhile });
  await receive([messageOf('c-1', ['o-1', 'o-2'])]);
  expect(world.effects).toEqual([['o-1', 'o-2']]);
  expect([0, 1].map((row) => outcomeOf(`c-1/${row}`))).toEqual(['answered', 'answered']);
});

test('a plan belongs to one store, kind and command ID', () => {
  const command = { storeClientId: 's', detailType: 'd', commandId: 'c' };
  const others = [{ storeClientId: 't' }, { detailType: 'e' }, { commandId: 'f' }];
  const keys = [command, ...others.map((other) => ({ ...command, ...other }))].map(planKey);
  expect(new Set(keys).size).toBe(4);
});

describe("while the partner's credentials can not be used", () => {
  const placeholder = () => failure('SECRET_PLACEHOLDER', { outcome: 'not-sent' });

  test('leave no command in its queue twice when the lanes can not be stopped', async () => {
    const { receive, world } = fakeLedger();
    world.secretFault = placeholder();
    const bodies = [messageOf('c-1', ['o-1'])];
    const failing: Step = async (operation, effect) => {
      if (operation === 'limiter.stop') throw new Error('no table');
      return effect();
    };
    await expect(receive(bodies, failing)).rejects.toThrow('no table');
    expect(world.later).toEqual([]);
  });

  test('commands wait unread, of an unknown store too, and all lanes are stopped', async () => {
    const { receive, world } = fakeLedger();
    world.secretFault = placeholder();
    const report = await receive([
      messageOf('c-1', ['o-1']),
      messageOf('c-2', ['o-2'], ofStore('s-9', 'c-2')),
    ]);
    expect(report).toMatchObject({ failures: [], rejected: 0 });
    expect(report.deferred.map(({ code }) => code)).toEqual(['SECRET_PLACEHOLDER', 'SECRET_PLACEHOLDER']);
    expect(world.later).toHaveLength(2);
    expect(world.stops).toEqual(['SECRET_PLACEHOLDER']);
    expect(world.effects).toEqual([]);
  });

  test.each(['SECRET_PLACEHOLDER', 'AUTH_010'])(
    'a command waits for more than 24 hours: %s',
    async (code) => {
      const { receive, world, outcomeOf } = fakeLedger();
      if (code === 'AUTH_010') world.replies.push({ error: failure(code) });
      else world.secretFault = failure(code, { outcome: 'not-sent' });
      world.now += 25 * HOUR;
      const report = await receive([messageOf('c-1', ['o-1'])]);
      expect(report).toMatchObject({ failures: [], deferred: [{ code, ageMs: 25 * HOUR }] });
      expect(world.stops).toEqual([code]);
      world.secretFault = undefined;
      await receive(world.later.map(({ body }) => body));
      expect(world.effects).toEqual([['o-1']]);
      expect(outcomeOf('c-1/0')).toBe('answered');
    },
  );

  test('a request of unknown outcome is not given up while its command waits', async () => {
    const { receive, sweep, world, outcomeOf } = fakeLedger();
    world.repeatable = true;
    const lost = { error: failure('TIMEOUT', { outcome: 'unknown', retryable: true }) };
    world.replies.push(...Array.from({ length: 5 }, () => lost));
    await receive([messageOf('c-1', ['o-1'])]);
    const redeliver = () => receive(world.later.splice(0).map(({ body }) => body));
    world.secretFault = placeholder();
    for (let hour = 0; hour < 3; hour += 1) {
      world.now += HOUR;
      await redeliver();
      expect(await sweep()).toEqual({ ended: 0, failures: [] });
    }
    world.secretFault = undefined;
    await redeliver();
    expect(world.effects).toEqual([['o-1']]);
    expect(outcomeOf('c-1/0')).toBe('answered');
  });

  test('a message that is no command is rejected all the same', async () => {
    const { receive, world } = fakeLedger();
    world.secretFault = placeholder();
    expect(await receive(['no JSON'])).toMatchObject({ rejected: 1, deferred: [] });
    expect(world.stops).toEqual([]);
  });

  test('commands are redelivered when Secrets Manager does not answer', async () => {
    const { receive, world } = fakeLedger();
    world.secretFault = new Error('no answer');
    await expect(receive([messageOf('c-1', ['o-1'])])).rejects.toThrow('no answer');
    expect(world.later).toEqual([]);
  });
});

function ofStore(storeClientId: string, commandId: string) {
  return { detail: { storeClientId, commandId, items: [{ orderId: 'o-9' }] } };
}
