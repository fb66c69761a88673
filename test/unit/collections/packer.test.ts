import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBytes, packAll } from '../../../shared/collections/packer.ts';

const limits = { maxItems: 3, maxBytes: 20 };

describe('packing rows into requests', () => {
  test('a pack takes no more rows than a request', () => {
    expect(packAll([1, 2, 3, 4, 5, 6, 7], limits)).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  });

  test('a pack takes no more bytes than a request', () => {
    expect(packAll(['aaaaaaa', 'bbbbbbb', 'c'], limits)).toEqual([['aaaaaaa', 'bbbbbbb'], ['c']]);
  });

  test('a row that is larger than a request is alone', () => {
    const large = 'x'.repeat(30);
    expect(packAll(['a', large, 'b'], limits)).toEqual([['a'], [large], ['b']]);
  });

  test('no rows make no pack', () => {
    expect(packAll([], limits)).toEqual([]);
  });

  test('bytes are those of UTF-8', () => {
    expect(jsonBytes({ n: 'é日' })).toBe(13);
  });

  test('every row is in exactly one pack, in order, and each pack of several keeps to the limits', () => {
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
