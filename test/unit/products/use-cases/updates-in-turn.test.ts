import { describe, expect, test, vi } from 'vitest';
import { performProductCommand } from '../../../../shared/products/use-cases/perform-product-command.ts';
import { externalIdOf } from '../../../run/catalog.ts';
import { fail } from '../../support/failure.ts';
import { NOW, productPorts, type Reply } from '../product-ports.ts';

const productId = externalIdOf(7);

function setUp(replies: Reply[] = []) {
  const { ports, seen, time } = productPorts(replies);
  const update = (commandId: string, minutes: number, changes: object, now = NOW) => {
    time.now = now;
    return performProductCommand(ports, {
      messageId: `message of ${commandId}`,
      sentAt: NOW,
      body: JSON.stringify({
        id: commandId,
        time: new Date(NOW + minutes * 60_000).toISOString(),
        'detail-type': 'product.update.requested',
        detail: { storeClientId: 's-1', commandId, productId, changes },
      }),
    });
  };
  const changesSent = () => seen.sent.map(({ products: [request] }) => request?.changes);
  return { ports, seen, time, update, changesSent };
}

const cut = fail({ code: 'CONNECTION_CUT', outcome: 'unknown', retryable: true });
const cutAlways = () => Array.from({ length: 6 }, () => cut);

describe('updates of one product', () => {
  test('an older one leaves out what a newer one has set', async () => {
    const { update, changesSent } = setUp();
    await update('newer', 2, { name: 'B', weight: 2 });
    expect(await update('older', 1, { name: 'A', condition: 'NEW' })).toMatchObject({ requests: 1 });
    expect(await update('oldest', 0, { weight: 1 })).toMatchObject({ requests: 0, rejected: 0 });
    expect(changesSent()).toEqual([{ name: 'B', weight: 2 }, { condition: 'NEW' }]);
  });

  test('an older one is sent whole when the newer one was refused', async () => {
    const { update, changesSent } = setUp([fail({ code: 'VAL_001' })]);
    expect(await update('newer', 2, { name: 'B' })).toMatchObject({ rejected: 1 });
    await update('older', 1, { name: 'A' });
    expect(changesSent()).toEqual([{ name: 'B' }, { name: 'A' }]);
  });

  test('an older one is sent whole although the refused newer one comes again', async () => {
    const { update, changesSent } = setUp([fail({ code: 'VAL_001' })]);
    await update('newer', 2, { name: 'B' });
    expect(await update('newer', 2, { name: 'B' })).toMatchObject({ requests: 0 });
    await update('older', 1, { name: 'A' });
    expect(changesSent()).toEqual([{ name: 'B' }, { name: 'A' }]);
  });

  test('an older one waits until it is known what came of a newer one', async () => {
    const { update, changesSent } = setUp([...cutAlways(), fail({ code: 'VAL_001' })]);
    await update('newer', 2, { name: 'B' });
    expect(await update('older', 1, { name: 'A' }, NOW + 30_000)).toMatchObject({ putOff: 'PRODUCT_BUSY' });
    expect(await update('newer', 2, { name: 'B' }, NOW + 30_000)).toMatchObject({ rejected: 1 });
    await update('older', 1, { name: 'A' }, NOW + 30_000);
    expect(changesSent().at(-1)).toEqual({ name: 'A' });
  });

  test('waits while a request of another one may still land', async () => {
    const { update, seen } = setUp(cutAlways());
    expect(await update('first', 1, { name: 'A' })).toMatchObject({ putOff: 'CONNECTION_CUT' });
    expect(await update('second', 2, { name: 'B' })).toMatchObject({ putOff: 'PRODUCT_BUSY' });
    expect(seen.sent).toHaveLength(6);
    expect(await update('second', 2, { name: 'B' }, NOW + 30_000)).toMatchObject({ requests: 1 });
  });

  test('an unknown outcome is not repeated over a newer value', async () => {
    const { ports, update, seen, changesSent } = setUp(cutAlways());
    await update('first', 1, { name: 'A' });
    await update('second', 2, { name: 'B' }, NOW + 30_000);
    expect(await update('first', 1, { name: 'A' }, NOW + 30_000)).toMatchObject({ requests: 0 });
    expect(changesSent().at(-1)).toEqual({ name: 'B' });
    expect(seen.sent).toHaveLength(7);
    const open = await ports.commands.listOpen({ begunBefore: '2027-01-01' });
    expect(open.steps).toEqual([]);
  });

  test('a refused one is not sent again, but reported, when reporting it died', async () => {
    const { ports, update, seen } = setUp([fail({ code: 'VAL_001' })]);
    const publish = vi.spyOn(ports.events, 'publish').mockRejectedValueOnce(new Error('the bus is away'));
    await expect(update('first', 1, { name: 'A', weight: 1 })).rejects.toThrow('the bus is away');
    await update('second', 2, { name: 'B' });
    expect(await update('first', 1, { name: 'A', weight: 1 })).toMatchObject({ requests: 0 });
    expect(seen.sent).toHaveLength(2);
    expect(publish).toHaveBeenCalledTimes(2);
    expect(seen.events).toMatchObject([{ detailType: 'rows.rejected', detail: { commandId: 'first' } }]);
  });

  test('one that was held up looks again what is newest before it is sent', async () => {
    const { ports, update, seen } = setUp();
    const { update: turn } = ports.turns;
    // Between taking the turn and sending, another command has its whole turn: the first one's has run out.
    vi.spyOn(ports.turns, 'update').mockImplementationOnce(async (key, change) => {
      const taken = await turn(key, change);
      await update('newer', 2, { name: 'B' }, NOW + 30_000);
      return taken;
    });
    expect(await update('older', 1, { name: 'A' })).toMatchObject({ putOff: 'PRODUCT_BUSY' });
    expect(seen.sent).toHaveLength(1);
  });

  test('one that was held up until it was the turn of another, still under way, is not sent', async () => {
    const { ports, update, seen } = setUp(cutAlways());
    const { update: turn } = ports.turns;
    vi.spyOn(ports.turns, 'update').mockImplementationOnce(async (key, change) => {
      const taken = await turn(key, change);
      await update('newer', 2, { name: 'B' }, NOW + 30_000);
      return taken;
    });
    expect(await update('older', 1, { name: 'A' })).toMatchObject({ putOff: 'PRODUCT_BUSY' });
    expect(seen.sent).toHaveLength(6);
  });

  test('one whose turn is over when it could be sent at last is not sent', async () => {
    const { ports, update, seen, time } = setUp();
    const { update: turn } = ports.turns;
    vi.spyOn(ports.turns, 'update')
      .mockImplementationOnce(turn)
      .mockImplementationOnce(async (key, change) => {
        const taken = await turn(key, change);
        time.now += 30_000;
        return taken;
      });
    expect(await update('held up', 1, { name: 'A' })).toMatchObject({ putOff: 'PRODUCT_BUSY' });
    expect(seen.sent).toEqual([]);
  });

  test('one that waits for its turn is not taken for abandoned', async () => {
    const { ports, update } = setUp([...cutAlways(), ...cutAlways()]);
    await update('older', 1, { name: 'A' });
    await update('newer', 2, { name: 'B' }, NOW + 30_000);
    expect(await update('older', 1, { name: 'A' }, NOW + 60_000)).toMatchObject({ putOff: 'PRODUCT_BUSY' });
    const begunBefore = new Date(NOW + 60_000).toISOString();
    const { steps } = await ports.commands.listOpen({ begunBefore });
    expect(steps.map(({ request }) => request?.commandId)).toEqual(['newer']);
  });

  test('waits while an earlier try of one that was answered may still land', async () => {
    const { update } = setUp([cut]);
    expect(await update('first', 1, { name: 'A' })).toMatchObject({ requests: 1 });
    expect(await update('second', 2, { name: 'B' })).toMatchObject({ putOff: 'PRODUCT_BUSY' });
    expect(await update('second', 2, { name: 'B' }, NOW + 30_000)).toMatchObject({ requests: 1 });
  });
});
