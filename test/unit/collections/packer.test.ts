import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBytes, packAll } from '../../../shared/collections/packer.ts';

const limits = { maxItems: 3, maxBytes: 20 };

describe('packing rows into requests', () => {
  test('puts at most the maximum of rows into a pack', () => {
    expect(packAll([1, 2, 3, 4, 5, 6, 7], limits)).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  });

  test('puts at most the maximum of bytes into a pack', () => {
    expect(packAll(['aaaaaaa', 'bbbbbbb', 'c'], limits)).toEqual([['aaaaaaa', 'bbbbbbb'], ['c']]);
  });

  test('puts a row that is too large for a request into a pack alone', () => {
    const large = 'x'.repeat(30);
    expect(packAll(['a', large, 'b'], limits)).toEqual([['a'], [large], ['b']]);
  });

  test('makes no pack of no rows', () => {
    expect(packAll([], limits)).toEqual([]);
  });

  test('counts bytes in UTF-8', () => {
    expect(jsonBytes({ n: 'é日' })).toBe(13);
  });

  test('puts every row into exactly one pack, in order, and keeps packs of several within the limits', () => {
    const rows = fc.array(fc.string({ maxLength: 18, unit: 'grapheme' }), { maxLength: 50 });
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 5, max: 60 }),
        (all, maxItems, maxBytes) => {
          const packs = packAll(all, { maxItems, maxBytes });
          expect(packs.flat()).toEqual(all);
          for (const pack of packs) {
            expect(pack.length).toBeGreaterThan(0);
            expect(pack.length).toBeLessThanOrEqual(maxItems);
            if (pack.length > 1) expect(jsonBytes(pack)).toBeLessThanOrEqual(maxBytes + 1);
          }
        },
      ),
    );
  });
});
