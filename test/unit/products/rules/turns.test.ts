import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newestFields, passedOn, settled, taken } from '../../../../shared/products/rules/turns.ts';
import type { ProductTurn, TurnRequest } from '../../../../shared/products/turn.ts';

const NOW = Date.parse('2026-11-21T08:00:00.000Z');
const at = (now: number) => ({ now, until: now + 30_000 });
const update = (commandId: string, time: number, ...fields: string[]): TurnRequest => ({
  commandId,
  turnId: `turn of ${commandId}`,
  time,
  fields,
});
const fresh: ProductTurn = { fields: {}, openTurns: [], updatedAt: '' };

/** The turn after an update that was sent and answered. */
const sent = (turn: ProductTurn | undefined, request: TurnRequest) =>
  settled(taken(turn, request, at(NOW)), request, { effective: request.fields, until: 0 }) ?? fresh;

describe('the turn of a product', () => {
  test('is one command’s alone until it is over', () => {
    const first = taken(undefined, update('a', 1, 'name'), at(NOW));
    const second = update('b', 2, 'weight');
    expect(taken(first, second, at(NOW + 29_999))).toBeUndefined();
    expect(taken(first, second, at(NOW + 30_000))?.openTurns).toHaveLength(2);
  });

  test('is one delivery’s alone: another of the same command waits', () => {
    const first = update('a', 1, 'name');
    const other = { ...first, turnId: 'another turn of a' };
    const turn = taken(undefined, first, at(NOW));
    expect(taken(turn, other, at(NOW + 29_999))).toBeUndefined();
    expect(taken(turn, other, at(NOW + 30_000))?.openTurns.map(({ turnId }) => turnId)).toEqual([
      other.turnId,
    ]);
  });

  test('is extended by whoever has it', () => {
    const first = update('a', 1, 'name');
    const extended = taken(taken(undefined, first, at(NOW)), first, at(NOW + 10_000));
    expect(extended?.openTurns).toEqual([{ ...first, until: NOW + 40_000 }]);
  });

  test('is not settled by a command that has lost it', () => {
    const first = update('a', 1, 'x');
    const again = { ...first, turnId: 'another turn of a' };
    const turn = taken(taken(undefined, first, at(NOW)), again, at(NOW + 30_000));
    expect(settled(turn, first, { effective: ['x'], until: 0 })).toBeUndefined();
  });

  test('passed on, is at once that of a newer command, and not of an older one of the same field', () => {
    const request = update('b', 2, 'name');
    const turn = passedOn(taken(undefined, request, at(NOW)), request, NOW);
    expect(taken(turn, update('c', 3, 'name'), at(NOW))).toBeDefined();
    expect(taken(turn, update('a', 1, 'weight'), at(NOW))).toBeDefined();
    expect(taken(turn, update('a', 1, 'name'), at(NOW + 30_000))).toBeUndefined();
  });

  test('is not given up by a command that comes again and has to wait, however long', () => {
    const HOUR_MS = 3_600_000;
    const tried = taken(undefined, update('b', 2, 'name'), at(NOW));
    const again = { ...update('b', 2, 'name'), turnId: 'another turn of b' };
    const later = NOW + 30_000 + HOUR_MS;
    const other = taken(tried, update('c', 3, 'weight'), at(later - 1));
    const waiting = taken(other, again, at(later - 1));
    expect(waiting?.openTurns.map(({ turnId }) => turnId)).not.toContain(again.turnId);
    const older = update('a', 1, 'name');
    expect(taken(other, older, at(later + 30_000))?.fields).toMatchObject({ name: { commandId: 'b' } });
    expect(taken(waiting, older, at(later + 30_000))).toBeUndefined();
    expect(taken(waiting, again, at(later + 30_000))).toBeDefined();
  });

  test('does not wait for ever for a newer command that never comes again, but leaves it its fields', () => {
    const turn = taken(undefined, update('b', 2, 'name'), at(NOW));
    const older = update('a', 1, 'name', 'weight');
    const givenUpAt = NOW + 30_000 + 3_600_000;
    expect(taken(turn, older, at(givenUpAt - 1))).toBeUndefined();
    const after = taken(turn, older, at(givenUpAt)) ?? fresh;
    expect(after.openTurns).toEqual([{ ...older, until: givenUpAt + 30_000 }]);
    expect(newestFields(after, older)).toEqual(['weight']);
    expect(newestFields(after, update('b', 2, 'name'))).toEqual(['name']);
  });

  test('settled, is nobody’s as long as an earlier try may land', () => {
    const request = update('a', 1, 'name');
    const turn = settled(taken(undefined, request, at(NOW)), request, {
      effective: ['name'],
      until: NOW + 20_000,
    });
    expect(taken(turn, update('b', 2, 'name'), at(NOW + 19_999))).toBeUndefined();
    expect(taken(turn, update('b', 2, 'name'), at(NOW + 20_000))).toBeDefined();
  });

  test('leaves an older command the fields that no newer one has set', () => {
    const turn = sent(undefined, update('b', 2, 'name', 'weight'));
    expect(newestFields(turn, update('a', 1, 'name', 'photos'))).toEqual(['photos']);
  });

  test('leaves a command that comes again all of its fields', () => {
    const request = update('a', 1, 'name');
    expect(newestFields(sent(undefined, request), request)).toEqual(['name']);
  });

  test('knows nothing of what was refused', () => {
    const before = sent(undefined, update('b', 2, 'name'));
    const refused = update('c', 3, 'name', 'weight');
    const after = settled(taken(before, refused, at(NOW)), refused, { effective: [], until: 0 }) ?? fresh;
    expect(after.fields).toEqual(before.fields);
    expect(newestFields(after, update('a', 1, 'name', 'weight'))).toEqual(['weight']);
  });

  test('lets the newest command win each field, in whatever order commands come', () => {
    const request = fc.record({
      time: fc.nat({ max: 5 }),
      fields: fc.uniqueArray(fc.constantFrom('name', 'weight', 'photos'), { minLength: 1 }),
    });
    fc.assert(
      fc.property(
        fc.array(request, { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat()),
        (some, ranks) => {
          const requests = some.map(({ time, fields }, index) => update(`c-${index}`, time, ...fields));
          const shuffled = requests
            .map((each) => ({ each, rank: Number(ranks.next().value) }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ each }) => each);
          const applied = (order: TurnRequest[]) => {
            const product: Record<string, string> = {};
            let turn: ProductTurn | undefined;
            for (const each of order) {
              const newest = newestFields(taken(turn, each, at(NOW)) ?? fresh, each);
              for (const field of newest) product[field] = each.commandId;
              turn = settled(taken(turn, each, at(NOW)), each, { effective: newest, until: 0 });
            }
            return product;
          };
          expect(applied(shuffled)).toEqual(applied(requests));
        },
      ),
    );
  });
});
