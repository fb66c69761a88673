import { describe, expect, test, vi } from 'vitest';
import { updateAnswerOf } from '../../../shared/products/update-requests.ts';
import { fail } from '../support/failure.ts';
import { cut, cutAlways, LIFETIME_MS, NOW, productId, setUp } from './update-setup.ts';

const busy = { error: { code: 'PRODUCT_BUSY', retryable: true } };

describe('concurrent updates of one product', () => {
  test('leave out of an older one what a newer one has set', async () => {
    const { update, at, sent } = setUp();
    await update('newer', { name: 'B', weight: 2 }, at(2));
    await update('older', { name: 'A', condition: 'NEW' }, at(1));
    const oldest = await update('oldest', { weight: 1 }, at(0));
    expect(oldest.requests.map(updateAnswerOf)).toMatchObject([{ fields: [], isSuperseded: true }]);
    expect(oldest.rejections).toEqual([]);
    expect(sent()).toEqual([{ name: 'B', weight: 2 }, { condition: 'NEW' }]);
  });

  test('given in one second, to which the bus cuts their times, are ordered by when they came', async () => {
    const { update, sent } = setUp();
    await update('patched', { name: 'B' }, { time: NOW + 500 });
    await update('u-1', { name: 'C' }, { receivedAt: NOW + 700 });
    await update('u-2', { name: 'A' }, { receivedAt: NOW + 300 });
    expect(sent()).toEqual([{ name: 'B' }, { name: 'C' }]);
  });

  test('apply the price of an older one, also when newer ones have set all that it has for the product', async () => {
    const { update, at, sent, changes } = setUp();
    await update('newer', { name: 'B' }, at(2));
    await update('older', { name: 'A', weight: 1, price: 5 }, at(1));
    await update('oldest', { name: 'C', price: 4 }, at(0));
    expect(sent()).toEqual([{ name: 'B' }, { weight: 1 }]);
    expect(changes.filter(({ prices }) => prices.length > 0)).toMatchObject([
      { commandId: 'older', prices: [{ price: 5 }] },
      { commandId: 'oldest', prices: [{ price: 4 }] },
    ]);
  });

  test('send an older one whole when the newer one was refused', async () => {
    const { update, at, sent } = setUp([fail({ code: 'VAL_001' })]);
    await update('newer', { name: 'B' }, at(2));
    await update('newer', { name: 'B' }, at(2));
    await update('older', { name: 'A' }, at(1));
    expect(sent()).toEqual([{ name: 'B' }, { name: 'A' }]);
  });

  test('make an older one wait for the outcome of a newer one', async () => {
    const { update, at, sent } = setUp([...cutAlways, fail({ code: 'VAL_001' })]);
    await update('newer', { name: 'B' }, at(2));
    const now = NOW + LIFETIME_MS;
    expect(await update('older', { name: 'A' }, { ...at(1), now })).toMatchObject(busy);
    await update('newer', { name: 'B' }, { ...at(2), now });
    await update('older', { name: 'A' }, { ...at(1), now: now + LIFETIME_MS });
    expect(sent().at(-1)).toEqual({ name: 'A' });
  });

  test('wait while the request of another may still land', async () => {
    const { update, at, sent } = setUp(cutAlways);
    expect(await update('first', { name: 'A' }, at(1))).toMatchObject({ error: { code: 'CONNECTION_CUT' } });
    expect(await update('second', { name: 'B', stock: 1 }, at(2))).toMatchObject(busy);
    expect(sent()).toHaveLength(6);
    await update('second', { name: 'B', stock: 1 }, { ...at(2), now: NOW + LIFETIME_MS });
    expect(sent()).toHaveLength(7);
  });

  test('wait while an earlier try of an answered one may still land', async () => {
    const { update, at } = setUp([cut]);
    expect(await update('first', { name: 'A' }, at(1))).not.toHaveProperty('error');
    expect(await update('second', { name: 'B' }, at(2))).toMatchObject(busy);
    expect(await update('second', { name: 'B' }, { ...at(2), now: NOW + LIFETIME_MS })).not.toHaveProperty(
      'error',
    );
  });

  test('do not repeat one of unknown outcome over a newer value', async () => {
    const { update, at, sent } = setUp(cutAlways);
    await update('first', { name: 'A', stock: 1 }, at(1));
    await update('second', { name: 'B' }, { ...at(2), now: NOW + LIFETIME_MS });
    const first = await update('first', { name: 'A', stock: 1 }, at(1));
    expect(first.requests.map(updateAnswerOf)).toMatchObject([{ isSuperseded: true }]);
    expect(sent().at(-1)).toEqual({ name: 'B' });
  });

  test('do not send one that was delayed past a newer one', async () => {
    const { ports, update, at, sent } = setUp();
    const { update: lock } = ports.locks;
    vi.spyOn(ports.locks, 'update').mockImplementationOnce(async (thing, change) => {
      const taken = await lock(thing, change);
      await update('newer', { name: 'B' }, { ...at(2), now: NOW + LIFETIME_MS });
      return taken;
    });
    expect(await update('older', { name: 'A' }, at(1))).toMatchObject(busy);
    expect(sent()).toEqual([{ name: 'B' }]);
  });

  test('do not send one whose lock expired before it could be sent', async () => {
    const { ports, update, sent, time } = setUp();
    const { update: lock } = ports.locks;
    vi.spyOn(ports.locks, 'update')
      .mockImplementationOnce(lock)
      .mockImplementationOnce(async (thing, change) => {
        const taken = await lock(thing, change);
        time.now += LIFETIME_MS;
        return taken;
      });
    expect(await update('held up', { name: 'A' })).toMatchObject(busy);
    expect(sent()).toEqual([]);
  });

  test('do not wait for a newer one whose second try could not be recorded', async () => {
    const { ports, update, at, sent } = setUp();
    vi.spyOn(ports.calls, 'updateProduct').mockImplementationOnce(async (_, __, options = {}) => {
      await options.onAttempt?.({ number: 1, signedAt: NOW });
      vi.spyOn(ports.requests, 'update').mockRejectedValueOnce(new Error('throttled'));
      await options.onAttempt?.({ number: 1, signedAt: NOW + 1 });
      return expect.unreachable();
    });
    expect(await update('newer', { name: 'B' }, at(2))).toMatchObject({ error: { message: 'throttled' } });
    await update('older', { name: 'A' }, at(1));
    expect(sent()).toEqual([{ name: 'A' }]);
  });

  test('do not wait for a newer one that claims its fields after the answer to its earlier try has ended it', async () => {
    const { ports, update, at, sent, time } = setUp(cutAlways);
    await update('newer', { name: 'B' }, at(2));
    const { update: lock } = ports.locks;
    vi.spyOn(ports.locks, 'update')
      .mockImplementationOnce(lock)
      .mockImplementationOnce(async (thing, change) => {
        const { requests } = await ports.requests.listOpen({ touchedBefore: '2999' });
        const refused = {
          state: 'refused',
          fault: { code: 'VAL_001', message: '' },
          appliedAt: 'T',
        } as const;
        for (const { recordId } of requests)
          await ports.requests.update(recordId, (current) => current && { ...current, ...refused });
        time.now += LIFETIME_MS;
        return lock(thing, change);
      });
    expect(await update('newer', { name: 'B' }, { ...at(2), now: NOW + LIFETIME_MS })).toMatchObject(busy);
    await update('older', { name: 'A' }, { ...at(1), now: NOW + 3 * LIFETIME_MS });
    expect(sent().at(-1)).toEqual({ name: 'A' });
  });

  test('leave one that could neither be recorded nor give up its claim to the sweeper', async () => {
    const { ports, time, update } = setUp();
    vi.spyOn(ports.calls, 'updateProduct').mockImplementationOnce(async (_, __, options = {}) => {
      await options.onAttempt?.({ number: 1, signedAt: NOW });
      vi.spyOn(ports.requests, 'update').mockRejectedValueOnce(new Error('throttled'));
      vi.spyOn(ports.locks, 'update').mockRejectedValueOnce(new Error('throttled too'));
      await options.onAttempt?.({ number: 1, signedAt: NOW + 1 });
      return expect.unreachable();
    });
    expect(await update('given up', { name: 'B' })).toMatchObject({ error: { message: 'throttled too' } });
    const touchedBefore = new Date(time.now + LIFETIME_MS).toISOString();
    const { requests } = await ports.requests.listOpen({ touchedBefore });
    expect(requests).toMatchObject([{ commands: [{ commandId: 'given up' }] }]);
  });

  test('include those that name the product in another case', async () => {
    const { update, at, sent } = setUp();
    await update('newer', { name: 'B' }, { ...at(2), productId: productId.toUpperCase() });
    await update('older', { name: 'A' }, at(1));
    expect(sent()).toEqual([{ name: 'B' }]);
  });
});
