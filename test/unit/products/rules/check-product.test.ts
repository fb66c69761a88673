import { describe, expect, test } from 'vitest';
import { simpleProduct, variantProduct } from '../../../../local/run/catalog.ts';
import { simpleProduct as simpleProductSchema } from '../../../../shared/marketplace/product-request.ts';
import { checkProduct, checkUpdate } from '../../../../shared/products/rules/check-product.ts';
import { unknownFields } from '../../../../shared/products/rules/unknown-fields.ts';

describe('the check of a product to create', () => {
  test('accepts a simple product and one with variants', () => {
    expect(checkProduct(simpleProduct(1))).toBeUndefined();
    expect(checkProduct(variantProduct(2))).toBeUndefined();
  });

  test('names the field and the rule', () => {
    expect(checkProduct({ ...simpleProduct(1), price: -1 })).toEqual({
      code: 'ROW_INVALID',
      field: 'price',
      message: expect.stringMatching(/^price: /),
      details: { problems: [expect.objectContaining({ field: 'price', rule: 'TOO_SMALL' })] },
    });
  });

  test.each([
    ['Price', 'price'],
    ['special_price', 'specialPrice'],
    ['SKU', 'sku'],
    ['Variants', 'variants'],
  ])('rejects %s in place of %s: the product would be made without it', (given, meant) => {
    const { externalId, name } = simpleProduct(1);
    expect(checkProduct({ externalId, name, [given]: 1 })).toMatchObject({
      code: 'ROW_INVALID',
      field: given,
      message: `${given}: must be written ${meant}`,
      details: { problems: [{ rule: 'FIELD_MISSPELLED' }] },
    });
  });

  test.each([
    ['name', { name: 'Shirt \ud83d' }],
    ['sku', { sku: 'A-\ud83d' }],
    ['hashtags.1', { hashtags: ['a', '\udc4d'] }],
    ['description', { description: 'cut off \ud83d' }],
  ])('rejects half a character in %s, which would be another one when it arrives', (field, given) => {
    expect(checkProduct({ ...simpleProduct(1), ...given })).toMatchObject({
      code: 'ROW_INVALID',
      field,
      message: `${field}: must be well-formed text`,
    });
  });

  test.each([' https://a.example/1.jpg', 'https://a.example/1.jpg\n', 'C:\\photos\\1.jpg'])(
    'rejects %j, which is no URL as it is sent',
    (photo) => {
      expect(checkProduct({ ...simpleProduct(1), photos: [photo] })).toMatchObject({
        field: 'photos.0',
        details: { problems: [{ rule: 'ONE_URL' }] },
      });
    },
  );

  test('rejects two variants of one SKU, and two groups of options of one level', () => {
    const product = variantProduct(2);
    const { items, optionGroups } = product.variants;
    const [first, second, ...others] = items;
    const sameSku = [first, { ...second, sku: first?.sku }, ...others];
    const sameLevel = [...(optionGroups ?? []), ...(optionGroups ?? [])];
    const rulesOf = (variants: object) => checkProduct({ ...product, variants })?.details?.problems;
    expect(rulesOf({ items: sameSku, optionGroups })).toMatchObject([
      { field: 'variants.items.1.sku', rule: 'SKU_REPEATED' },
    ]);
    const twice = items.map((item) => ({
      ...item,
      optionIndexes: [...(item.optionIndexes ?? []), ...(item.optionIndexes ?? [])],
    }));
    expect(rulesOf({ items: twice, optionGroups: sameLevel })).toMatchObject([
      { field: `variants.optionGroups.${optionGroups?.length}.level`, rule: 'OPTION_LEVEL_REPEATED' },
    ]);
  });

  test.each([
    ['erpId', '{"erpId":1234567890123456789}'],
    ['codes.0.ean', '{"codes":[{"ean":-12345678901234567890}]}'],
  ])(
    'rejects a number in %s that JSON readers change: the marketplace would get another one',
    (field, given) => {
      expect(checkProduct({ ...simpleProduct(1), ...JSON.parse(given) })).toMatchObject({
        code: 'ROW_INVALID',
        field,
        details: { problems: [{ rule: 'NUMBER_TOO_LARGE' }] },
      });
    },
  );

  test('takes a simple product whose variants are null, as some systems write what is not there', () => {
    expect(checkProduct({ ...simpleProduct(1), variants: null })).toBeUndefined();
  });

  test('rejects a SKU of white space alone, also that of a variant', () => {
    expect(checkProduct({ ...simpleProduct(1), sku: '   ' })).toMatchObject({
      field: 'sku',
      message: 'sku: must not be white space alone',
      details: { problems: [{ rule: 'SKU_BLANK' }] },
    });
    const { variants, ...product } = variantProduct(2);
    const [first, ...others] = variants.items;
    const items = [{ ...first, sku: '\u00A0' }, ...others];
    expect(checkProduct({ ...product, variants: { ...variants, items } })).toMatchObject({
      field: 'variants.items.0.sku',
    });
    const update = checkUpdate(product.externalId, { sku: ' ' }, {});
    expect(update).toMatchObject({ fault: { field: 'detail.changes.sku' } });
  });

  test('rejects two stocks of one warehouse', () => {
    const { stock: _, ...product } = simpleProduct(1);
    const warehouses = [5, 7].map((stock) => ({ clientId: 'wh-1', stock }));
    expect(checkProduct({ ...product, warehouses })).toMatchObject({
      field: 'warehouses',
      details: { problems: [{ rule: 'WAREHOUSE_REPEATED' }] },
    });
  });

  test('a field that the specification does not name is left to the marketplace, with a warning', () => {
    const product = { ...simpleProduct(1), colour: 'red', thumbnails: ['https://example.com/a.jpg'] };
    expect(checkProduct(product)).toBeUndefined();
    expect(unknownFields(product)).toEqual([
      { code: 'FIELD_UNKNOWN', message: '"colour": not in the specification, sent as given' },
    ]);
    expect(simpleProductSchema.parse(product)).toMatchObject({ colour: 'red' });
  });

  test('a product with variants has no price, stock or SKU of its own', () => {
    expect(checkProduct({ ...variantProduct(1), price: 5 })).toMatchObject({
      code: 'ROW_INVALID',
      field: 'price',
    });
  });

  test('keeps the name of a rule of the spec', () => {
    const fault = checkProduct({
      ...simpleProduct(1),
      stock: 1,
      warehouses: [{ clientId: 'wh-1', stock: 1 }],
    });
    expect(fault?.details).toMatchObject({
      problems: [{ field: 'warehouses', rule: 'STOCK_OR_WAREHOUSES' }],
    });
  });

  test('checks a product with wrong variants as one with variants', () => {
    expect(checkProduct({ ...simpleProduct(1), variants: [] })).toMatchObject({ field: 'variants' });
  });

  test('returns a small fault for a product with very many faults', () => {
    const photos = Array.from({ length: 1000 }, () => 'no URL');
    const fault = checkProduct({ ...simpleProduct(1), photos });
    expect(fault?.details?.problems).toHaveLength(10);
  });
});
