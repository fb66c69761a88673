import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newestFields, released, taken } from '../../../../shared/products/rules/turns.ts';
import type { ProductTurn, TurnRequest } from '../../../../shared/products/turn.ts';

const NOW = Date.parse('2026-11-21T08:00:00.000Z');
const at = (now: number) => ({ now, until: now + 30_000 });
const update = (commandId: string, time: number, ...fields: string[]): TurnRequest => ({
  commandId,
  time,
  fields,
});

/** The turn after an update that was sent and answered. */
const sent = (turn: ProductTurn | undefined, request: TurnRequest) =>
  released(taken(turn, request, at(NOW)), request.commandId, { refused: false });

describe('the turn of a product', () => {
  test('is one command’s alone until it is over', () => {
    const first = taken(undefined, update('a', 1, 'name'), at(NOW));
    const second = update('b', 2, 'weight');
    expect(taken(first, second, at(NOW + 29_999))).toBeUndefined();
    expect(taken(first, second, at(NOW + 30_000))?.holder?.commandId).toBe('b');
  });

  test('is extended by its holder', () => {
    const first = update('a', 1, 'name');
    const extended = taken(taken(undefined, first, at(NOW)), first, at(NOW + 10_000));
    expect(extended?.holder?.until).toBe(NOW + 40_000);
  });

  test('is not given back by a command that has lost it', () => {
    const turn = taken(taken(undefined, update('a', 1, 'x'), at(NOW)), update('b', 2, 'x'), at(NOW + 30_000));
    expect(released(turn, 'a', { refused: false })).toBeUndefined();
  });

  test('leaves an older command the fields that no newer one has set', () => {
    const turn = sent(undefined, update('b', 2, 'name', 'weight'));
    expect(newestFields(turn, update('a', 1, 'name', 'photos'))).toEqual(['photos']);
  });

  test('leaves a command that comes again all of its fields', () => {
    const request = update('a', 1, 'name');
    expect(newestFields(sent(undefined, request), request)).toEqual(['name']);
  });

  test('forgets what was refused, and keeps what was there before it', () => {
    const before = sent(undefined, update('b', 2, 'name'));
    const refused = update('c', 3, 'name', 'weight');
    const after = released(taken(before, refused, at(NOW)), 'c', { refused: true });
    expect(after?.fields).toEqual(before?.fields);
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
          const requests = some.map((each, index) => ({ ...each, commandId: `c-${index}` }));
          const shuffled = requests
            .map((each) => ({ each, rank: Number(ranks.next().value) }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ each }) => each);
          const applied = (order: TurnRequest[]) => {
            const product: Record<string, string> = {};
            let turn: ProductTurn | undefined;
            for (const each of order) {
              turn = taken(turn, each, at(NOW));
              for (const field of newestFields(turn, each)) product[field] = each.commandId;
              turn = released(turn, each.commandId, { refused: false });
            }
            return product;
          };
          expect(applied(shuffled)).toEqual(applied(requests));
        },
      ),
    );
  });
});
