import { describe, expect, test } from 'vitest';
import { simpleProduct, variantProduct } from '../../../../local/run/catalog.ts';
import { simpleProduct as simpleProductSchema } from '../../../../shared/marketplace/product-request.ts';
import { checkProduct } from '../../../../shared/products/rules/check-product.ts';

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

  test('the fault of an unknown field names all fields within the words that a rejection keeps', () => {
    const message = checkProduct({ ...simpleProduct(1), colour: 'red' })?.message ?? '';
    expect(message).toMatch(/^unknown "colour"; allowed: externalId, sku, /);
    for (const field of Object.keys(simpleProductSchema.shape)) expect(message).toContain(field);
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
