import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FieldsUpdate,
  lockedBy,
  newestFields,
  releasedBy,
  settledBy,
} from '../../../../shared/products/rules/newest-fields.ts';
import type { LockRecord } from '../../../../shared/requests/model.ts';

const NOW = Date.parse('2026-11-21T08:00:00.000Z');
const LIFETIME_MS = 30_000;
const HOUR_MS = 3_600_000;
const update = (commandId: string, minute: number, ...fields: string[]): FieldsUpdate => ({
  commandId,
  senderId: `sender of ${commandId}`,
  time: NOW + minute * 60_000,
  fields,
});
const take = (product: LockRecord | undefined, one: FieldsUpdate, now = NOW, isSending = true) =>
  lockedBy(product, one, { now, until: now + LIFETIME_MS, isSending });
const isHeldBy = (product: LockRecord | undefined, { senderId }: FieldsUpdate) =>
  product?.lock?.holder === senderId;
const settle = (product: LockRecord | undefined, one: FieldsUpdate, taken = one.fields, release = true) =>
  settledBy(product, one, { taken, release, now: NOW });
const sent = (product: LockRecord | undefined, one: FieldsUpdate) => settle(take(product, one), one);

describe('the lock of a product', () => {
  test('belongs to one update until it expires', () => {
    const [first, second] = [update('a', 1, 'name'), update('b', 2, 'weight')];
    const product = take(undefined, first);
    expect(take(product, second, NOW + LIFETIME_MS - 1)).toBeUndefined();
    expect(isHeldBy(take(product, second, NOW + LIFETIME_MS), second)).toBe(true);
  });

  test('belongs to one sender: another delivery of the same command waits', () => {
    const first = update('a', 1, 'name');
    const other = { ...first, senderId: 'another' };
    const product = take(undefined, first);
    expect(take(product, other, NOW + LIFETIME_MS - 1)).toBeUndefined();
    expect(isHeldBy(take(product, other, NOW + LIFETIME_MS), other)).toBe(true);
  });

  test('is extended by its holder', () => {
    const first = update('a', 1, 'name');
    expect(take(take(undefined, first), first, NOW + 10_000)?.lock?.until).toBe(NOW + 10_000 + LIFETIME_MS);
  });

  test('is kept while an earlier try of a settled update may still land', () => {
    const [first, second] = [update('a', 1, 'name'), update('b', 2, 'name')];
    const product = settle(take(undefined, first), first, ['name'], false);
    expect(isHeldBy(take(product, second, NOW + LIFETIME_MS - 1), second)).toBe(false);
    expect(isHeldBy(take(product, second, NOW + LIFETIME_MS), second)).toBe(true);
  });

  test('keeps nothing of an update that was withdrawn', () => {
    const [first, older] = [update('b', 2, 'name'), update('a', 1, 'name')];
    const product = releasedBy(take(undefined, first, NOW, false), first.senderId);
    expect(isHeldBy(take(product, older), older)).toBe(true);
  });

  test('is not released by a sender that has lost it', () => {
    const first = update('a', 1, 'name');
    const other = { ...first, senderId: 'another' };
    const product = take(take(undefined, first), other, NOW + LIFETIME_MS);
    expect(isHeldBy(releasedBy(product, first.senderId), other)).toBe(true);
    expect(isHeldBy(settle(product, first), other)).toBe(true);
  });
});

describe('a try that certainly had no effect', () => {
  const newer = update('b', 2, 'name');
  const older = update('a', 1, 'name');

  test('ends its claim: an older update is sent', () => {
    const product = releasedBy(take(undefined, newer), newer.senderId);
    expect(isHeldBy(take(product, older), older)).toBe(true);
  });

  test('leaves the claim of a later try by another sender, whose outcome is unknown', () => {
    const other = { ...newer, senderId: 'another' };
    const product = take(take(undefined, newer), other, NOW + LIFETIME_MS);
    expect(take(releasedBy(product, newer.senderId), older, NOW + 1000 * HOUR_MS)).toBeUndefined();
  });
});

describe('an older update', () => {
  const [newer, older] = [update('b', 2, 'name', 'weight'), update('a', 1, 'name', 'photos')];

  test('leaves out fields that a newer one has set', () => {
    expect(newestFields(sent(undefined, newer), older, NOW)).toEqual(['photos']);
  });

  test('is sent whole when the newer one was refused', () => {
    const product = settle(take(undefined, newer), newer, []);
    expect(isHeldBy(take(product, older), older)).toBe(true);
    expect(newestFields(product, older, NOW)).toEqual(['name', 'photos']);
  });

  test('does not wait for a newer one of other fields with an unknown outcome', () => {
    const other = update('a', 1, 'photos');
    expect(isHeldBy(take(take(undefined, newer), other, NOW + LIFETIME_MS), other)).toBe(true);
  });

  test('waits for a newer one with an unknown outcome, without a time limit', () => {
    expect(take(take(undefined, newer), older, NOW + 1000 * HOUR_MS)).toBeUndefined();
  });

  test('waits for a newer one also after one of other fields was sent', () => {
    const third = update('c', 3, 'condition');
    const ahead = settle(take(take(undefined, newer), third, NOW + LIFETIME_MS), third);
    expect(take(ahead, older, NOW + 2 * LIFETIME_MS)).toBeUndefined();
  });

  test('waits for a newer one also after an even newer one of the same fields was refused', () => {
    const third = update('c', 3, 'name');
    const after = settle(take(take(undefined, newer), third, NOW + LIFETIME_MS), third, []);
    expect(take(after, older, NOW + 2 * LIFETIME_MS)).toBeUndefined();
  });
});

describe('a newer update', () => {
  test('is sent before an older one with an unknown outcome, which then leaves out its fields', () => {
    const [older, newer] = [update('a', 1, 'name'), update('b', 2, 'name')];
    const product = take(take(undefined, older), newer, NOW + LIFETIME_MS);
    expect(isHeldBy(product, newer)).toBe(true);
    expect(newestFields(settle(product, newer), older, NOW)).toEqual([]);
  });

  test('that is refused leaves the earlier value in place', () => {
    const [before, refused] = [update('b', 2, 'name'), update('c', 3, 'name')];
    const product = settle(take(sent(undefined, before), refused), refused, []);
    expect(newestFields(product, update('a', 1, 'name'), NOW)).toEqual([]);
  });
});

test('an update that is sent again keeps its fields', () => {
  const one = update('a', 1, 'name');
  expect(newestFields(sent(undefined, one), one, NOW)).toEqual(['name']);
});

test('a version far ahead reserves no field, and is replaced by current updates', () => {
  const ahead = update('far', 6, 'name', 'weight');
  const fields = Object.fromEntries(
    ahead.fields.map((field) => [field, { time: ahead.time, commandId: 'far' }]),
  );
  const product: LockRecord = {
    fields,
    claims: [{ time: ahead.time, commandId: 'far', senderId: ahead.senderId, fields: ['name'] }],
    updatedAt: '',
  };
  const one = update('a', 0, 'name');
  expect(newestFields(product, one, NOW)).toEqual(['name']);
  expect(isHeldBy(take(product, one), one)).toBe(true);
  expect(sent(product, one)?.fields?.name).toEqual({ time: NOW, commandId: 'a' });
});

test('the newest update wins each field in any order of arrival', () => {
  const request = fc.record({
    minute: fc.nat({ max: 4 }),
    fields: fc.uniqueArray(fc.constantFrom('name', 'weight', 'photos'), { minLength: 1 }),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(request, fc.nat()), { minLength: 1, maxLength: 6 }), (some) => {
      const updates = some.map(([{ minute, fields }], index) => update(`c-${index}`, minute, ...fields));
      const shuffled = updates
        .map((each, index) => ({ each, rank: some[index]?.[1] ?? 0 }))
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ each }) => each);
      const product = (order: readonly FieldsUpdate[]) => {
        const values: Record<string, string> = {};
        let product: LockRecord | undefined;
        for (const each of order) {
          product = take(product, each);
          const newest = newestFields(product, each, NOW);
          for (const field of newest) values[field] = each.commandId;
          product = settle(product, each, newest);
        }
        return values;
      };
      expect(product(shuffled)).toEqual(product(updates));
    }),
  );
});
