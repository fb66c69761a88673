import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { brandQuery } from '../../../../shared/marketplace/brands.ts';
import { priceItem, stockItem } from '../../../../shared/marketplace/offer-rows.ts';
import { orderDecision } from '../../../../shared/marketplace/order-rows.ts';
import { dropoffRequest } from '../../../../shared/marketplace/orders.ts';
import {
  productChanges,
  simpleProduct,
  variantProduct,
} from '../../../../shared/marketplace/product-request.ts';
import { newWarehouse } from '../../../../shared/marketplace/warehouses.ts';

const ID = '7b0a1f0e-52a5-4b1e-9a55-0c9a4f6f2f11';
const SIMPLE = { externalId: ID, name: 'Shoe', sku: 'A-1', price: 10_000 };
const AREA = {
  provinceId: ID,
  cityId: ID,
  districtId: ID,
  subDistrictId: ID,
  latitude: '-6.2',
  longitude: '106.8',
  postalCode: '12345',
  address: 'Jalan 1',
};
const WAREHOUSE = { externalId: ID, warehouseName: 'Main', isMain: true, phone: '+62 21', area: AREA };
const GROUPS = [
  { level: 1, name: 'Colour', values: [{ label: 'Red' }, { label: 'Blue' }] },
  { level: 2, name: 'Size', values: [{ label: '40' }] },
];
const variants = (item: object, optionGroups: unknown = GROUPS) => ({
  items: [{ sku: 'A-1', price: 1, optionIndexes: [1, 0], ...item }],
  optionGroups,
});
const withVariants = (...given: Parameters<typeof variants>) => ({
  externalId: ID,
  name: 'Shoe',
  variants: variants(...given),
});

/** Field and rule of each problem; zod's name of the problem when it is no rule of the spec. */
function problems(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map((issue) => {
    const rule = issue.code === 'custom' ? issue.params?.rule : issue.code;
    return `${issue.path.join('.')} ${rule}`;
  });
}

type Cases = [what: string, value: unknown, problems: string[]][];

describe('a stock item (§4.9)', () => {
  const cases: Cases = [
    ['global stock', { sku: 'A', stock: 0 }, []],
    ['a stock for listed warehouses', { id: ID, stock: 1, warehouses: ['wh-1', 'wh-2'] }, []],
    ['a stock per warehouse', { externalId: ID, warehouses: [{ clientId: 'wh-1', stock: 1 }] }, []],
    ['no identifier', { stock: 1 }, ['sku EXACTLY_ONE_IDENTIFIER']],
    ['two identifiers', { sku: 'A', id: ID, stock: 1 }, ['id EXACTLY_ONE_IDENTIFIER']],
    ['no stock at all', { sku: 'A' }, ['stock STOCK_REQUIRED']],
    ['warehouses without their stock', { sku: 'A', warehouses: ['wh-1'] }, ['stock STOCK_REQUIRED']],
    [
      'both levels of stock',
      { sku: 'A', stock: 1, warehouses: [{ clientId: 'w', stock: 1 }] },
      ['stock STOCK_OR_WAREHOUSES'],
    ],
    [
      'no warehouses in the list',
      { sku: 'A', stock: 1, warehouses: [] },
      ['warehouses WAREHOUSES_NOT_EMPTY'],
    ],
    [
      'two forms of warehouses',
      { sku: 'A', stock: 1, warehouses: ['a', { clientId: 'b', stock: 1 }] },
      ['warehouses WAREHOUSES_ONE_FORM'],
    ],
    ['an id that is no UUID', { id: 'x', stock: 1 }, ['id invalid_format']],
    ['half a piece', { sku: 'A', stock: 0.5 }, ['stock invalid_type']],
    ['fewer than none', { sku: 'A', stock: -1 }, ['stock too_small']],
    ['a field the spec does not name', { sku: 'A', stock: 1, stok: 2 }, [' unrecognized_keys']],
  ];
  it.each(cases)('%s', (_, value, expected) => expect(problems(stockItem, value)).toEqual(expected));
});

describe('a price item (§4.8)', () => {
  const cases: Cases = [
    ['by sku', { sku: 'A', price: 1, specialPrice: null }, []],
    ['by id, without a special price', { id: ID, price: 1 }, []],
    ['by both', { id: ID, sku: 'A', price: 1 }, ['id EXACTLY_ONE_IDENTIFIER']],
    ['by none', { price: 1 }, ['sku EXACTLY_ONE_IDENTIFIER']],
    ['without a price', { sku: 'A', specialPrice: 1 }, ['price invalid_type']],
    ['with a price that is no number', { sku: 'A', price: Number.NaN }, ['price invalid_type']],
    ['with a price of nothing', { sku: 'A', price: 0 }, []],
    ['with a price beyond all numbers', { sku: 'A', price: 1e200 }, ['price too_big']],
    ['with a price that is a mistake', { sku: 'A', price: 1e-200 }, ['price PRICE_TOO_SMALL']],
  ];
  it.each(cases)('%s', (_, value, expected) => expect(problems(priceItem, value)).toEqual(expected));
});

it.each([simpleProduct, variantProduct])(
  'the externalId of a created product is sent as it is given',
  (product) => {
    const externalId = 'ABCDEFAB-0000-4000-8000-00000000000A';
    expect(product.shape.externalId.parse(externalId)).toBe(externalId);
  },
);

describe('a simple product (§4.3, 4.5)', () => {
  const warehouses = [{ clientId: 'wh-1', stock: 1 }];
  const cases: Cases = [
    ['with stock', { ...SIMPLE, stock: 1 }, []],
    ['with warehouses', { ...SIMPLE, warehouses }, []],
    ['with both', { ...SIMPLE, stock: 1, warehouses }, ['warehouses STOCK_OR_WAREHOUSES']],
    [
      'with a warehouse without stock',
      { ...SIMPLE, warehouses: [{ clientId: 'w' }] },
      ['warehouses.0.stock invalid_type'],
    ],
    ['with a photo that is no URL', { ...SIMPLE, photos: ['photo.jpg'] }, ['photos.0 invalid_format']],
    ['with a category that is no UUID', { ...SIMPLE, categoryId: 'shoes' }, ['categoryId invalid_format']],
  ];
  it.each(cases)('%s', (_, value, expected) => expect(problems(simpleProduct, value)).toEqual(expected));
});

describe('a product with variants (§4.4, 4.6)', () => {
  const cases: Cases = [
    ['complete', withVariants({ stock: 1 }), []],
    ['groups in any order', withVariants({}, GROUPS.toReversed()), []],
    [
      'too few option indexes',
      withVariants({ optionIndexes: [0] }),
      ['variants.items.0.optionIndexes OPTION_INDEX_PER_GROUP'],
    ],
    [
      'an index beyond its group',
      withVariants({ optionIndexes: [0, 1] }),
      ['variants.items.0.optionIndexes.1 OPTION_INDEX_IN_GROUP'],
    ],
    [
      'both levels of stock',
      withVariants({ stock: 1, warehouses: [{ clientId: 'w', stock: 1 }] }),
      ['variants.items.0.warehouses STOCK_OR_WAREHOUSES'],
    ],
    [
      'no variants',
      { externalId: ID, name: 'Shoe', variants: { items: [], optionGroups: GROUPS } },
      ['variants.items too_small'],
    ],
    ['a price at product level', { ...withVariants({}), price: 1 }, ['price NOT_WITH_VARIANTS']],
  ];
  it.each(cases)('%s', (_, value, expected) => expect(problems(variantProduct, value)).toEqual(expected));
});

describe('changes of a product (§4.7)', () => {
  const cases: Cases = [
    ['of one field', { name: 'Boot' }, []],
    ['that clear the special price', { specialPrice: null }, []],
    ['to a simple product', { variants: { items: [] }, price: 1 }, []],
    [
      'of variants, groups left as they are',
      { variants: { items: [{ sku: 'A', price: 1, optionIndexes: [0] }] } },
      [],
    ],
    [
      'of variants with a price beside them',
      { variants: variants({}), price: 1 },
      ['price NOT_WITH_VARIANTS'],
    ],
    [
      'of variants with a stock beside them',
      { variants: variants({}), stock: 1 },
      ['stock NOT_WITH_VARIANTS'],
    ],
    ['of no warehouse', { warehouses: [] }, ['warehouses too_small']],
    [
      'of both levels of stock',
      { stock: 1, warehouses: [{ clientId: 'w', stock: 1 }] },
      ['warehouses STOCK_OR_WAREHOUSES'],
    ],
  ];
  it.each(cases)('%s', (_, value, expected) => expect(problems(productChanges, value)).toEqual(expected));
});

describe('a warehouse (§4.14)', () => {
  const cases: Cases = [
    ['complete', WAREHOUSE, []],
    [
      'with a postal code of 4 digits',
      { ...WAREHOUSE, area: { ...AREA, postalCode: '1234' } },
      ['area.postalCode invalid_format'],
    ],
    [
      'with a postal code of 6 digits',
      { ...WAREHOUSE, area: { ...AREA, postalCode: '123456' } },
      ['area.postalCode invalid_format'],
    ],
    [
      'with a city that is no UUID',
      { ...WAREHOUSE, area: { ...AREA, cityId: 'Jakarta' } },
      ['area.cityId invalid_format'],
    ],
  ];
  it.each(cases)('%s', (_, value, expected) => expect(problems(newWarehouse, value)).toEqual(expected));
});

describe('orders and brands', () => {
  const cases: [string, z.ZodType, unknown, string[]][] = [
    [
      'a rejection (§4.16)',
      orderDecision,
      { invoiceNumber: 'I', decision: 'reject', reasonCode: 'X', reason: 'y' },
      [],
    ],
    [
      'an order named twice (§4.16)',
      orderDecision,
      { orderId: ID, invoiceNumber: 'I', decision: 'accept' },
      ['invoiceNumber EXACTLY_ONE_IDENTIFIER'],
    ],
    [
      'another decision (§4.16)',
      orderDecision,
      { orderId: ID, decision: 'maybe' },
      ['decision invalid_value'],
    ],
    [
      'a dropoff of no order (§4.17)',
      dropoffRequest,
      { items: [{}] },
      ['items.0.orderId EXACTLY_ONE_IDENTIFIER'],
    ],
    ['no dropoffs (§4.17)', dropoffRequest, { items: [] }, ['items too_small']],
    ['a keyword of 2 characters (§4.20)', brandQuery, { q: 'ab' }, []],
    ['a keyword of 1 character (§4.20)', brandQuery, { q: 'a' }, ['q too_small']],
  ];
  it.each(cases)('%s', (_, schema, value, expected) => expect(problems(schema, value)).toEqual(expected));
});
