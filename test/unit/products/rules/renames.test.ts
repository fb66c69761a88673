import { describe, expect, test } from 'vitest';
import { renamesOf } from '../../../../shared/products/rules/renames.ts';

const groups = [{ level: 1, name: 'Colour', values: [{ label: 'Black' }, { label: 'White' }] }];
const shown = {
  id: 'p',
  hasVariant: true,
  variants: {
    optionGroups: groups,
    items: [
      { sku: 'A', isActive: true, optionIndexes: [0] },
      { sku: 'B', isActive: true, optionIndexes: [1] },
    ],
  },
};
const black = (sku: string) => ({ sku, optionIndexes: [0] });
const white = (sku: string) => ({ sku, optionIndexes: [1] });

describe('an update of variants', () => {
  test.each([
    ['another SKU for the same options', { items: [black('A2'), white('B')] }, [['A', 'A2']]],
    [
      'other SKUs for all, with the same option groups',
      { items: [black('A2'), white('B2')], optionGroups: groups.map((group) => ({ ...group, id: 'g' })) },
      [
        ['A', 'A2'],
        ['B', 'B2'],
      ],
    ],
  ])('renames, with %s', (_, variants, expected) => {
    expect(renamesOf({ variants }, shown)).toEqual(expected.map(([from, to]) => ({ from, to })));
  });

  test.each([
    ['the same SKUs', { items: [black('A'), white('B')] }],
    ['SKUs that change places', { items: [black('B'), white('A')] }],
    ['a SKU that moves on to another variant', { items: [black('A2'), white('A')] }],
    ['a SKU of another variant, whose own one goes', { items: [black('B')] }],
    ['items without options', { items: [{ sku: 'A2' }, { sku: 'B' }] }],
    ['items without SKUs', { items: [{ optionIndexes: [0] }] }],
    ['options that no variant had', { items: [{ sku: 'C', optionIndexes: [2] }] }],
    ['none any more', { items: [] }],
    [
      'other option groups, which give the indexes another meaning',
      {
        items: [black('A2'), white('B2')],
        optionGroups: [{ level: 1, name: 'Size', values: [{ label: 'S' }, { label: 'M' }] }],
      },
    ],
  ])('renames nothing, with %s', (_, variants) => {
    expect(renamesOf({ variants }, shown)).toEqual([]);
  });

  test('renames nothing where the options were those of an inactive variant', () => {
    const items = shown.variants.items.map((item) => ({ ...item, isActive: false }));
    const product = { ...shown, variants: { ...shown.variants, items } };
    expect(renamesOf({ variants: { items: [black('A2')] } }, product)).toEqual([]);
  });

  test('renames nothing where two variants are shown with the options', () => {
    const items = [...shown.variants.items, { sku: 'C', isActive: true, optionIndexes: [0] }];
    const product = { ...shown, variants: { ...shown.variants, items } };
    expect(renamesOf({ variants: { items: [black('A2')] } }, product)).toEqual([]);
  });
});
