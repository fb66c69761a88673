import { describe, expect, test } from 'vitest';
import type { Step } from '../../../doubles/step.ts';
import { connectedStore, fakeLedger, messageOf, NOW } from '../fake-ledger.ts';

type Ledger = ReturnType<typeof fakeLedger>;

/** A delivery that does `meanwhile` right before it stores its plan. */
function interrupted(meanwhile: () => Promise<unknown>): Step {
  let isFirst = true;
  return async (operation, effect) => {
    if (isFirst && operation.startsWith('plans.replace')) {
      isFirst = false;
      await meanwhile();
    }
    return effect();
  };
}

const codesOf = ({ world }: Ledger) => [...world.rejections.values()].map(({ code }) => code);
const reportsOf = ({ world }: Ledger) =>
  world.events.filter(({ detailType }) => detailType === 'rows.rejected').length;

describe('of two deliveries that plan one command at once, only the stored plan has effects', () => {
  const message = messageOf('c-1', ['o-1', 'o-2']);
  const discarded = { ...connectedStore('s-1'), discardedAt: new Date(NOW).toISOString() };

  test('when the other one saw that all waiting work was discarded', async () => {
    const ledger = fakeLedger();
    const { world, receive } = ledger;
    world.stores.set('s-1', discarded);
    const meanwhile = () => {
      world.stores.set('s-1', connectedStore('s-1'));
      return receive([message]);
    };
    expect(await receive([message], interrupted(meanwhile))).toMatchObject({ rejected: 0, deferred: [] });
    expect(world.effects).toEqual([['o-1', 'o-2']]);
    expect(codesOf(ledger)).toEqual([]);
  });

  test('when the other one came before its store was connected', async () => {
    const ledger = fakeLedger();
    const { world, receive } = ledger;
    world.stores.clear();
    const meanwhile = async () => {
      world.stores.set('s-1', { ...connectedStore('s-1') });
      world.replies.push({ error: new Error('killed') });
      await receive([message]);
    };
    const report = await receive([message], interrupted(meanwhile));
    expect(report).toMatchObject({ rejected: 0, deferred: [{ code: 'STORE_NOT_CONNECTED' }] });
    expect(codesOf(ledger)).toEqual([]);
  });

  test('when the stored one is the discard', async () => {
    const ledger = fakeLedger();
    const { world, receive } = ledger;
    const meanwhile = () => {
      world.stores.set('s-1', discarded);
      return receive([message]);
    };
    await receive([message], interrupted(meanwhile));
    expect(world.effects).toEqual([]);
    expect(codesOf(ledger)).toEqual(['COMMAND_DISCARDED']);
    expect(reportsOf(ledger)).toBe(1);
  });

  test('when the other one rejects a row', async () => {
    const ledger = fakeLedger();
    const { world, receive } = ledger;
    const otherwise = messageOf('c-1', ['o-1', { orderId: 'o-2', invalid: true }]);
    await receive(
      [otherwise],
      interrupted(() => receive([message])),
    );
    expect(world.effects).toEqual([['o-1', 'o-2']]);
    expect(codesOf(ledger)).toEqual([]);
  });
});

describe('rejections of a stored plan', () => {
  const rows = messageOf('c-1', ['o-1', { orderId: 'o-2', invalid: true }]);

  /** Receives the message once with a crash before the operation, then twice more. */
  async function afterCrash(ledger: Ledger, message: string, operation: string) {
    const step: Step = async (name, effect) => {
      if (name.startsWith(operation)) throw new Error('killed');
      return effect();
    };
    await ledger.receive([message], step).catch(() => undefined);
    await ledger.receive([message]);
    await ledger.receive([message]);
  }

  test.each([
    ['are reported by a redelivery when the sender is stopped before it reports them', 'rejections.put', 1],
    ['are reported again when the sender is stopped before it notes that it reported them', 'plans.read', 2],
    ['are reported once when all goes well', 'nothing', 1],
  ])('%s', async (_, operation, reports) => {
    const ledger = fakeLedger();
    await afterCrash(ledger, rows, operation);
    expect(codesOf(ledger)).toEqual(['VAL_001']);
    expect(reportsOf(ledger)).toBe(reports);
    expect(ledger.world.effects).toEqual([['o-1']]);
  });

  test('of a whole command are reported by a redelivery, though the store has been connected meanwhile', async () => {
    const ledger = fakeLedger();
    ledger.world.stores.clear();
    const step: Step = async (name, effect) => {
      if (name.startsWith('rejections.put')) throw new Error('killed');
      return effect();
    };
    await ledger.receive([rows], step).catch(() => undefined);
    ledger.world.stores.set('s-1', connectedStore('s-1'));
    await ledger.receive([rows]);
    await ledger.receive([rows]);
    expect(codesOf(ledger)).toEqual(['STORE_UNKNOWN']);
    expect(reportsOf(ledger)).toBe(1);
    expect(ledger.world.effects).toEqual([]);
  });
});
