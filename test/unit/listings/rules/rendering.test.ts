import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Listing, ListingChange, Registers } from '../../../../shared/listings/model.ts';
import { mergeChange } from '../../../../shared/listings/rules/merge-change.ts';
import {
  needsStoreWarehouses,
  renderPriceRow,
  renderStockRow,
  type SentRowOutcome,
  settleRegisters,
  settleRow,
} from '../../../../shared/listings/rules/row.ts';
import {
  nextStep,
  priorities,
  readyAt,
  waitAgain,
  waitingKey,
  withWaiting,
} from '../../../../shared/listings/rules/waiting.ts';

const NOW = Date.UTC(2026, 0, 1);

function listingOf(desired: Registers, over: Partial<Listing> = {}): Listing {
  const empty = { storeClientId: 'store', target: 'sku:A', versionKind: 'integer', failures: 0 } as const;
  return withWaiting({ ...empty, sent: {}, settled: {}, desired, ...over }, NOW);
}

const at = (value: number | null, version = 1) => ({ value, version });

/** Sends the steps of a listing, each accepted, until nothing waits; returns the rows in order. */
function drain(listing: Listing, warehouses: readonly string[]) {
  const rows: object[] = [];
  let current = listing;
  for (let step = nextStep(current); step !== undefined; step = nextStep(current)) {
    if (rows.length > 10) throw new Error('it does not end');
    const { row, registers } =
      step.kind === 'price' ? renderPriceRow(current) : renderStockRow(current, step, warehouses);
    if (row !== undefined) rows.push(row);
    current = settleRow(current, { registers, signedAt: NOW }, { outcome: 'accepted' }, NOW);
  }
  return { rows, current };
}

/** The values at the marketplace after the rows (§4.9). */
function applied(rows: readonly object[], warehouses: readonly string[]): Record<string, number> {
  const stocks: Record<string, number> = {};
  for (const row of rows) {
    if ('stock' in row) for (const id of warehouses) stocks[id] = Number(row.stock);
    if ('warehouses' in row) {
      for (const { clientId, stock } of row.warehouses as { clientId: string; stock: number }[]) {
        stocks[clientId] = stock;
      }
    }
  }
  return stocks;
}

describe('nextStep', () => {
  test('of zeros that are sent one at a time, chooses one that was not sent yet and so does not wait for a back-off', () => {
    const zeros = { 'stock:wh-1': at(0), 'stock:wh-2': at(0, 2) };
    const sent = { 'stock:wh-1': { ...at(0), at: 'T' } };
    const listing = listingOf(zeros, { sent, oneAtATime: true, backoffUntil: NOW + 60_000 });
    expect(nextStep(listing)).toMatchObject({ registers: ['stock:wh-2'] });
    expect(readyAt(listing)).toBe(NOW);
  });

  test('of stock that is sent one value at a time, chooses the one that was not sent for longest', () => {
    const desired = { 'stock:wh-1': at(3), 'stock:wh-2': at(4) };
    const sent = { 'stock:wh-1': { ...at(3), at: 'T2' }, 'stock:wh-2': { ...at(4), at: 'T1' } };
    const listing = listingOf(desired, { sent, oneAtATime: true });
    expect(nextStep(listing)).toMatchObject({ registers: ['stock:wh-2'] });
  });

  test.each([
    [1, 'does not wait', NOW],
    [9, 'waits', NOW + 60_000],
  ])(
    'stock %d after an accepted 5 and a 10 that was refused for now %s for the back-off',
    (value, _, time) => {
      const accepted = { ...at(5), outcome: 'accepted', at: 'T' } as const;
      const refused = { 'stock:wh-1': { ...at(10, 2), at: 'T' } };
      const settled = { 'stock:wh-1': accepted };
      const listing = listingOf(
        { 'stock:wh-1': at(value, 3) },
        { settled, sent: refused, backoffUntil: NOW + 60_000 },
      );
      expect(readyAt(listing)).toBe(time);
    },
  );

  test('chooses zeros first and alone, then the price, then other stock', () => {
    const listing = listingOf({ price: at(10), 'stock:wh-1': at(0), 'stock:wh-2': at(4) });
    expect(nextStep(listing)).toEqual({
      kind: 'stock',
      priority: priorities.zeroStock,
      registers: ['stock:wh-1'],
    });
    expect(drain(listing, ['wh-1', 'wh-2']).rows).toEqual([
      { sku: 'A', warehouses: [{ clientId: 'wh-1', stock: 0 }] },
      { sku: 'A', price: 10 },
      { sku: 'A', warehouses: [{ clientId: 'wh-2', stock: 4 }] },
    ]);
  });

  describe('for stock of a target whose price waits', () => {
    const accepted = (value: number) => ({ ...at(value), outcome: 'accepted', at: 'T' }) as const;
    const price = at(10, 2);
    const merged = (listing: Listing, version: number, values: ListingChange['values']): Listing => {
      const change = {
        storeClientId: 'store',
        target: 'sku:A',
        versionKind: 'integer',
        version,
        values,
      } as const;
      const merge = mergeChange(listing, change, NOW);
      if (merge.result !== 'changed') throw new Error(merge.result);
      return merge.listing;
    };
    const settled = { stock: accepted(10) };
    const shown = listingOf({ stock: at(10), price }, { settled });

    test.each([9, 10, 1])('chooses stock %d, which does not raise 10, before the price', (value) => {
      const listing = merged(shown, 2, { stock: value });
      expect(nextStep(listing)).toEqual({
        kind: 'stock',
        priority: priorities.loweredStock,
        registers: ['stock'],
      });
      expect(drain(listing, []).rows).toEqual([
        { sku: 'A', stock: value },
        { sku: 'A', price: 10 },
      ]);
    });

    test('chooses the price before a raise, and before stock of a register without an accepted value', () => {
      expect(nextStep(merged(shown, 2, { stock: 11 }))).toMatchObject({ kind: 'price' });
      expect(nextStep(listingOf({ stock: at(1), price }))).toMatchObject({ kind: 'price' });
    });

    test('compares with the value accepted before a rejected one', () => {
      const rejected = { ...at(20, 2), outcome: 'rejected', code: 'VAL_001', at: 'T' } as const;
      const acceptedBefore = { ...at(10), at: 'T' };
      const listing = listingOf(
        { stock: at(9, 3), price },
        { settled: { stock: { ...rejected, acceptedBefore } } },
      );
      expect(nextStep(listing)).toMatchObject({ priority: priorities.loweredStock });
      const unknown = listingOf({ stock: at(9, 3), price }, { settled: { stock: rejected } });
      expect(nextStep(unknown)).toMatchObject({ kind: 'price' });
    });

    test('chooses the price before stock above an intermediate value that may have been applied, until one is accepted', () => {
      const raised = merged(merged(shown, 2, { stock: 3 }), 3, { stock: 8 });
      expect(raised.desired.stock).toEqual({ value: 8, version: 3, lowest: 3 });
      expect(nextStep(raised)).toMatchObject({ kind: 'price' });
      expect(nextStep(merged(raised, 4, { stock: 5 }))).toMatchObject({ kind: 'price' });
      expect(nextStep(merged(raised, 4, { stock: 3 }))).toMatchObject({ kind: 'stock' });
      const row = { registers: raised.desired, signedAt: NOW };
      const taken = settleRow(raised, row, { outcome: 'accepted' }, NOW);
      expect(taken.settled.stock).not.toHaveProperty('lowest');
      expect(taken.sent.stock).not.toHaveProperty('lowest');
      const lowered = merged(taken, 4, { stock: 5, price: 11 });
      expect(lowered.desired.stock).toEqual({ value: 5, version: 4 });
      expect(nextStep(lowered)).toMatchObject({ kind: 'stock' });
    });

    test('chooses the price before a global value above a warehouse value that it replaces', () => {
      const own = merged(shown, 2, { 'stock:wh-1': 4 });
      const taken = { ...own, settled: { ...settled, 'stock:wh-1': { ...accepted(4), version: 2 } } };
      expect(nextStep(merged(taken, 3, { stock: 5 }))).toMatchObject({ kind: 'price' });
      expect(nextStep(merged(taken, 3, { stock: 4 }))).toMatchObject({ kind: 'stock' });
      const raised = merged(taken, 3, { 'stock:wh-1': 9 });
      expect(nextStep(merged(raised, 4, { stock: 5 }))).toMatchObject({ kind: 'price' });
    });

    test('chooses the price before a global value that replaces one of a warehouse that was never accepted', () => {
      const own = merged(shown, 2, { 'stock:wh-1': 20 });
      // Each warehouse had a newer value of its own: no row was sent for the global one.
      const unsent = settleRegisters(own, { stock: at(10) }, { outcome: 'accepted' }, NOW);
      expect(nextStep(merged(unsent, 3, { stock: 9 }))).toMatchObject({ kind: 'price' });
      expect(nextStep(merged(unsent, 3, { stock: 0 }))).toMatchObject({ priority: priorities.zeroStock });
    });

    test('chooses lowered warehouses without raised ones, and all of them when no price waits', () => {
      const stocks = { 'stock:wh-1': at(3), 'stock:wh-2': at(3) } as const;
      const known = { 'stock:wh-1': accepted(3), 'stock:wh-2': accepted(3) };
      const change = { 'stock:wh-1': 2, 'stock:wh-2': 4 } as const;
      const held = merged(listingOf({ ...stocks, price }, { settled: known }), 2, change);
      expect(nextStep(held)).toMatchObject({ registers: ['stock:wh-1'] });
      const free = merged(listingOf(stocks, { settled: known }), 2, change);
      expect(nextStep(free)).toMatchObject({ registers: ['stock:wh-1', 'stock:wh-2'] });
    });
  });

  test('orders waiting listings by priority, then by the time from which they may be sent', () => {
    const early = listingOf({ stock: at(5) });
    const fenced = listingOf({ stock: at(5) }, { notBefore: NOW + 30_000 });
    const zero = listingOf({ stock: at(0) }, { notBefore: NOW + 60_000 });
    const keys = [early, fenced, zero].map((listing) => waitingKey(listing));
    expect([...keys].sort()).toEqual([keys[2], keys[0], keys[1]]);
  });
});

describe('renderStockRow', () => {
  test('sends a global value as one row when no warehouse has its own', () => {
    expect(drain(listingOf({ stock: at(5) }), ['wh-1', 'wh-2']).rows).toEqual([{ sku: 'A', stock: 5 }]);
  });

  test('asks for the warehouses only when a global value stands beside one of a warehouse', () => {
    const step = { kind: 'stock', priority: priorities.stock, registers: ['stock'] } as const;
    expect(needsStoreWarehouses(listingOf({ stock: at(5) }), step)).toBe(false);
    expect(needsStoreWarehouses(listingOf({ stock: at(5), 'stock:wh-1': at(1, 2) }), step)).toBe(true);
  });

  test('sends nothing for a global value when every warehouse has a newer one', () => {
    const listing = listingOf({ stock: at(5), 'stock:wh-1': at(1, 2) });
    const step = { kind: 'stock', priority: priorities.stock, registers: ['stock'] } as const;
    expect(renderStockRow(listing, step, ['wh-1'])).toMatchObject({ row: undefined });
  });

  test('brings every warehouse to its value, and never mixes a zero with a raise', () => {
    const value = fc.integer({ min: 0, max: 2 });
    const desired = fc.record(
      { stock: value, 'stock:wh-1': value, 'stock:wh-2': value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(desired, (stocks) => {
        const registers = Object.fromEntries(
          Object.entries(stocks).map(([name, stock]) => [name, at(stock, name === 'stock' ? 1 : 2)]),
        );
        const { rows } = drain(listingOf(registers), ['wh-1', 'wh-2']);
        const ends = applied(rows, ['wh-1', 'wh-2']);
        expect(ends['wh-1']).toBe(stocks['stock:wh-1'] ?? stocks.stock);
        expect(ends['wh-2']).toBe(stocks['stock:wh-2'] ?? stocks.stock);
        for (const row of rows) {
          const amounts = Object.values(applied([row], ['wh-1', 'wh-2']));
          expect(amounts.includes(0) && amounts.some((amount) => amount > 0)).toBe(false);
        }
      }),
    );
  });
});

describe('renderPriceRow', () => {
  test.each([
    ['absent', {}, { sku: 'A', price: 10 }],
    ['null', { specialPrice: at(null) }, { sku: 'A', price: 10, specialPrice: null }],
    ['set', { specialPrice: at(8) }, { sku: 'A', price: 10, specialPrice: 8 }],
  ])('sends a special price that is %s', (_, special, row) => {
    expect(renderPriceRow(listingOf({ price: at(10), ...special })).row).toEqual(row);
  });
});

test('a special price that is sent again goes with the price that a later look has shown', () => {
  const change = { storeClientId: 'store', target: 'sku:A', versionKind: 'integer', version: 1 } as const;
  const merge = mergeChange(undefined, { ...change, values: { specialPrice: 8 }, base: { price: 10 } }, NOW);
  const read = merge.result === 'changed' ? merge.listing : expect.unreachable();
  const live = { at: new Date(NOW).toISOString(), values: { price: 12, specialPrice: null } };
  expect(renderPriceRow({ ...read, live }).row).toEqual({ sku: 'A', price: 10, specialPrice: 8 });
  const sent = settleRegisters(read, read.desired, { outcome: 'accepted' }, NOW);
  const again = waitAgain({ ...sent, live }, ['specialPrice'], NOW);
  expect(renderPriceRow(again).row).toEqual({ sku: 'A', price: 12, specialPrice: 8 });
});

describe('renderPriceRow with a rejected value', () => {
  const rejected = (value: number, before?: number) => ({
    ...at(value),
    outcome: 'rejected' as const,
    code: 'DISCARDED',
    at: '2026-01-01T00:00:00.000Z',
    ...(before === undefined ? {} : { acceptedBefore: { ...at(before), at: '2026-01-01T00:00:00.000Z' } }),
  });

  test('does not send a rejected special price along with a new price', () => {
    const listing = listingOf(
      { price: at(12, 2), specialPrice: at(8) },
      { settled: { specialPrice: rejected(8) } },
    );
    expect(renderPriceRow(listing)).toEqual({
      row: { sku: 'A', price: 12 },
      registers: { price: at(12, 2) },
    });
  });

  test('sends the price accepted before a rejected one along with a new special price', () => {
    const listing = listingOf(
      { price: at(1), specialPrice: at(8, 2) },
      { settled: { price: rejected(1, 10) } },
    );
    expect(renderPriceRow(listing)).toEqual({
      row: { sku: 'A', price: 10, specialPrice: 8 },
      registers: { specialPrice: at(8, 2) },
    });
  });

  test('sends the price that was last seen in place of a discarded first one', () => {
    const live = { at: '2026-01-01T00:00:00.000Z', values: { price: 12 } };
    const listing = listingOf(
      { price: at(1), specialPrice: at(8, 2) },
      { settled: { price: rejected(1) }, live },
    );
    expect(renderPriceRow(listing).row).toEqual({ sku: 'A', price: 12, specialPrice: 8 });
  });

  test('sends a value that is newer than the rejected one', () => {
    const listing = listingOf(
      { price: at(10), specialPrice: at(9, 2) },
      { settled: { specialPrice: rejected(8) } },
    );
    expect(renderPriceRow(listing).row).toEqual({ sku: 'A', price: 10, specialPrice: 9 });
  });
});

describe('settleRow', () => {
  const sent = { registers: { stock: at(5) }, signedAt: NOW };

  test('keeps a value waiting that arrived while the row was in flight', () => {
    const listing = settleRow(listingOf({ stock: at(6, 2) }), sent, { outcome: 'accepted' }, NOW);
    expect(nextStep(listing)).toMatchObject({ registers: ['stock'] });
    expect(listing).toMatchObject({ sent: { stock: at(5) }, settled: { stock: at(5) } });
  });

  test('keeps the outcome of a newer version', () => {
    const newer = settleRow(
      listingOf({ stock: at(6, 2) }),
      { registers: { stock: at(6, 2) }, signedAt: NOW },
      { outcome: 'accepted' },
      NOW,
    );
    const late = settleRow(newer, sent, { outcome: 'rejected', code: 'INV_001' }, NOW);
    expect(late.settled.stock).toMatchObject({ version: 2, outcome: 'accepted' });
    expect(nextStep(late)).toBeUndefined();
  });

  test('keeps the outcome of the value that wins at the same version', () => {
    const both = { signedAt: NOW, registers: { stock: at(4) } };
    const smaller = settleRow(listingOf({ stock: at(4) }), both, { outcome: 'accepted' }, NOW);
    const late = settleRow(smaller, sent, { outcome: 'accepted' }, NOW);
    expect(late.settled.stock).toMatchObject({ value: 4 });
    expect(nextStep(late)).toBeUndefined();
  });

  test('sends the earlier price beside a special price whose acceptance comes after the next price was discarded', () => {
    const discard = { outcome: 'rejected', code: 'DISCARDED' } as const;
    const desired = { price: at(1, 2), specialPrice: at(4, 1) };
    const discarded = settleRegisters(listingOf(desired), desired, discard, NOW);
    const row = { registers: { price: at(10), specialPrice: at(4) }, signedAt: NOW };
    const late = settleRow(discarded, row, { outcome: 'accepted' }, NOW);
    expect(late.settled.price).toMatchObject({
      code: 'DISCARDED',
      acceptedBefore: { value: 10, version: 1 },
    });
    expect(renderPriceRow(late).row).toEqual({ sku: 'A', price: 10, specialPrice: 4 });
    const later = settleRow(late, { ...row, registers: { price: at(9, 0) } }, { outcome: 'accepted' }, NOW);
    expect(later.settled.price).toMatchObject({ acceptedBefore: { value: 10 } });
  });

  test('keeps a value discarded after the late refusal of an earlier row with it', () => {
    const outcome = { outcome: 'rejected', code: 'VAL_001' } as const;
    const discarded = { ...outcome, code: 'DISCARDED' };
    const listing = settleRegisters(listingOf({ price: at(5) }), { price: at(5) }, discarded, NOW);
    const late = settleRow(listing, { registers: { price: at(5) }, signedAt: NOW }, outcome, NOW);
    expect(late.settled.price).toMatchObject({ code: 'DISCARDED' });
  });

  test('keeps an accepted outcome after the late refusal of an earlier row with the same value', () => {
    const accepted = settleRow(listingOf({ stock: at(5) }), sent, { outcome: 'accepted' }, NOW);
    const late = settleRow(accepted, sent, { outcome: 'rejected', code: 'VAL_001' }, NOW);
    expect(late.settled.stock).toMatchObject({ outcome: 'accepted' });
    const refused = settleRow(
      listingOf({ stock: at(5) }),
      sent,
      { outcome: 'rejected', code: 'VAL_001' },
      NOW,
    );
    const taken = settleRow(refused, sent, { outcome: 'accepted' }, NOW);
    expect(taken.settled.stock).toMatchObject({ outcome: 'accepted' });
  });

  test('settles a rejected value, and remembers the value that the marketplace still shows', () => {
    const accepted = settleRow(listingOf({ stock: at(5) }), sent, { outcome: 'accepted' }, NOW);
    const raised = listingOf({ stock: at(9, 2) }, { settled: accepted.settled });
    const rejected = settleRow(
      raised,
      { registers: { stock: at(9, 2) }, signedAt: NOW },
      { outcome: 'rejected', code: 'INV_001' },
      NOW,
    );
    expect(nextStep(rejected)).toBeUndefined();
    expect(rejected.settled.stock).toMatchObject({
      outcome: 'rejected',
      code: 'INV_001',
      acceptedBefore: { value: 5, version: 1 },
    });
  });

  test('holds an unknown value back until notBefore, also when a newer value arrives', () => {
    const unknown = { outcome: 'unknown', notBefore: NOW + 30_000 } as const;
    const listing = settleRow(listingOf({ stock: at(0, 2) }), sent, unknown, NOW);
    expect(waitingKey(listing)).toBe(`0#${String(NOW + 30_000).padStart(15, '0')}`);
  });

  test.each<SentRowOutcome>([
    { outcome: 'accepted' },
    { outcome: 'rejected', code: 'VAL_001' },
    { outcome: 'retryable', backoffUntil: NOW + 41_000 },
    { outcome: 'unknown', notBefore: NOW + 30_000 },
  ])('keeps the notBefore of a newer attempt after a late answer: $outcome', (late) => {
    const newer = { registers: { stock: at(6, 2) }, signedAt: NOW + 31_000 };
    const held = { outcome: 'unknown', notBefore: NOW + 61_000 } as const;
    const heldListing = settleRow(listingOf({ stock: at(6, 2) }), newer, held, NOW + 35_000);
    const listing = settleRow(heldListing, sent, late, NOW + 40_000);
    expect(listing.notBefore).toBe(NOW + 61_000);
  });

  test('keeps notBefore when nothing waits, so that the next value waits too', () => {
    const held = { outcome: 'unknown', notBefore: NOW + 30_000 } as const;
    const unknown = settleRow(listingOf({ stock: at(5) }), sent, held, NOW);
    const settled = settleRow(unknown, sent, { outcome: 'accepted' }, NOW + 1000);
    expect(nextStep(settled)).toBeUndefined();
    const changed = withWaiting({ ...settled, desired: { stock: at(7, 2) } }, NOW + 2000);
    expect(waitingKey(changed)).toBe(`3#${String(NOW + 30_000).padStart(15, '0')}`);
    expect(withWaiting(settled, NOW + 30_000)).not.toHaveProperty('notBefore');
  });

  describe('for a temporarily refused row', () => {
    const retryable = { outcome: 'retryable', backoffUntil: NOW + 240_000 } as const;
    const sentPrice = { registers: { price: at(10) }, signedAt: NOW };
    const keyOf = (priority: number, time: number) => `${priority}#${String(time).padStart(15, '0')}`;
    const refused = settleRow(listingOf({ price: at(10) }), sentPrice, retryable, NOW);
    const withZero = withWaiting({ ...refused, desired: { ...refused.desired, stock: at(0) } }, NOW + 1000);

    test('holds waiting values back, also when a newer one arrives', () => {
      const changed = withWaiting({ ...refused, desired: { price: at(11, 2) } }, NOW + 1000);
      expect(waitingKey(changed)).toBe(keyOf(priorities.price, NOW + 240_000));
    });

    test('holds no zero back that arrives later or during the request', () => {
      expect(waitingKey(withZero)).toBe(keyOf(priorities.zeroStock, withZero.waitingSince ?? 0));
      expect(withZero.failures).toBe(0);
      const inFlight = settleRow(listingOf({ price: at(10), stock: at(0) }), sentPrice, retryable, NOW);
      expect(readyAt(inFlight)).toBeLessThan(NOW + 1000);
    });

    test('holds the refused zero back, and the price again once the zero is accepted', () => {
      const sentZero = { registers: { stock: at(0) }, signedAt: NOW + 2000 };
      const again = settleRow(withZero, sentZero, { ...retryable, backoffUntil: NOW + 250_000 }, NOW + 3000);
      expect(waitingKey(again)).toBe(keyOf(priorities.zeroStock, NOW + 250_000));
      expect(again.failures).toBe(1);
      const taken = settleRow(withZero, sentZero, { outcome: 'accepted' }, NOW + 3000);
      expect(waitingKey(taken)).toBe(keyOf(priorities.price, NOW + 240_000));
    });

    test('holds a zero back until notBefore, which is separate from the backoff', () => {
      const held = { outcome: 'unknown', notBefore: NOW + 30_000 } as const;
      const unknown = settleRow(withZero, sentPrice, held, NOW + 2000);
      expect(readyAt(unknown)).toBe(NOW + 30_000);
      expect(unknown.backoffUntil).toBe(NOW + 240_000);
    });

    test('ends the backoff at its time, or when nothing waits', () => {
      expect(withWaiting(refused, NOW + 240_000)).not.toHaveProperty('backoffUntil');
      const taken = settleRow(refused, sentPrice, { outcome: 'accepted' }, NOW + 1000);
      expect(taken).not.toHaveProperty('backoffUntil');
    });
  });

  test('counts consecutive retryable failures', () => {
    const retryable = { outcome: 'retryable', backoffUntil: NOW + 1000 } as const;
    const once = settleRow(listingOf({ stock: at(5) }), sent, retryable, NOW);
    expect(settleRow(once, sent, retryable, NOW).failures).toBe(2);
    expect(settleRow(once, sent, { outcome: 'accepted' }, NOW)).toMatchObject({ failures: 0 });
  });

  test('removes a warehouse value that a newer global one has replaced meanwhile', () => {
    const registers = { 'stock:wh-1': at(4) };
    const listing = settleRow(
      listingOf({ stock: at(6, 2) }),
      { registers, signedAt: NOW },
      { outcome: 'accepted' },
      NOW,
    );
    expect(listing.settled).toEqual({});
    expect(listing.sent).toEqual({});
  });
});
