import { describe, expect, it } from 'vitest';
import {
  newProductInStore,
  productChangesInStore,
  stockItemInStore,
} from '../../../../shared/marketplace/rules/warehouse-mode.ts';

const warehouses = [{ clientId: 'wh-1', stock: 1 }];
const unknown = [
  { clientId: 'wh-1', stock: 1 },
  { clientId: 'wh-9', stock: 1 },
];
const variants = (item: object) => ({ variants: { items: [item] } });
const named = (problems: ReturnType<typeof newProductInStore>) =>
  problems.map(({ path, rule }) => `${path.join('.')} ${rule}`);

describe('a new product (§4.3, 4.4)', () => {
  it.each([
    ['stock, no warehouses in the store', { stock: 1 }, [], []],
    ['warehouses, none in the store', { warehouses }, [], ['warehouses NO_WAREHOUSES']],
    ['warehouses of the store', { warehouses }, ['wh-1'], []],
    [
      'a warehouse that is not of the store',
      { warehouses: unknown },
      ['wh-1', 'wh-2'],
      ['warehouses.1 WAREHOUSE_UNKNOWN'],
    ],
    ['variant stock, none in the store', variants({ stock: 1 }), [], []],
    [
      'variant warehouses, none in the store',
      variants({ warehouses }),
      [],
      ['variants.items.0.warehouses NO_WAREHOUSES'],
    ],
    [
      'a variant warehouse that is not of the store',
      variants({ warehouses: unknown }),
      ['wh-1'],
      ['variants.items.0.warehouses.1 WAREHOUSE_UNKNOWN'],
    ],
  ])('%s', (_, product, storeWarehouses, expected) => {
    expect(named(newProductInStore(product, storeWarehouses))).toEqual(expected);
  });
});

describe('a stock item (§4.9)', () => {
  it.each([
    ['global stock, no warehouses in the store', { stock: 1 }, [], []],
    ['clientIds of the store', { stock: 1, warehouses: ['wh-1'] }, ['wh-1'], []],
    [
      'a clientId that is not of the store',
      { stock: 1, warehouses: ['wh-9'] },
      ['wh-1'],
      ['warehouses.0 WAREHOUSE_UNKNOWN'],
    ],
    ['a stock per warehouse, none in the store', { warehouses }, [], ['warehouses NO_WAREHOUSES']],
  ])('%s', (_, item, storeWarehouses, expected) => {
    expect(named(stockItemInStore(item, storeWarehouses))).toEqual(expected);
  });
});

describe('changes of a product (§4.7)', () => {
  it.each([
    ['stock of a simple one, none in the store', { stock: 1 }, false, [], []],
    [
      'warehouses of a simple one, none in the store',
      { warehouses },
      false,
      [],
      ['warehouses NO_WAREHOUSES'],
    ],
    [
      'variant stock, none in the store',
      variants({ stock: 1 }),
      true,
      [],
      ['variants.items.0.stock NO_WAREHOUSES'],
    ],
    [
      'variant warehouses, none in the store',
      variants({ warehouses }),
      true,
      [],
      ['variants.items.0.warehouses NO_WAREHOUSES'],
    ],
    ['variant stock, one in the store', variants({ stock: 1 }), true, ['wh-1'], []],
    ['product stock of one with variants', { stock: 1 }, true, ['wh-1'], ['stock NOT_WITH_VARIANTS']],
    ['product price of one with variants', { price: 1 }, true, ['wh-1'], ['price NOT_WITH_VARIANTS']],
    [
      'price of one whose variants go with the same update',
      { price: 1, variants: { items: [] } },
      true,
      ['wh-1'],
      ['price NOT_WITH_VARIANTS'],
    ],
  ])('%s', (_, changes, hasVariants, storeWarehouses, expected) => {
    expect(named(productChangesInStore(changes, { hasVariants, storeWarehouses }))).toEqual(expected);
  });
});
