import { simpleProduct, variantProduct } from '../../../local/run/catalog.ts';

type Broken = (number: number) => unknown;

const NO_SUCH_WAREHOUSE = [{ clientId: 'wh-nowhere', stock: 1 }];

/** A product with variants whose items are replaced or changed. */
const withItems = (
  number: number,
  change: (item: ReturnType<typeof variantProduct>['variants']['items'][number]) => object,
) => {
  const product = variantProduct(number);
  return { ...product, variants: { ...product.variants, items: product.variants.items.map(change) } };
};

/** Ways in which a product breaks a rule of §2, 4.3 or 4.4 that does not depend on its store, by name. */
export const BROKEN_PRODUCTS: Readonly<Record<string, Broken>> = {
  'no externalId': (number) => ({ ...simpleProduct(number), externalId: undefined }),
  'an externalId that is no UUID': (number) => ({ ...simpleProduct(number), externalId: `E-${number}` }),
  'an empty sku': (number) => ({ ...simpleProduct(number), sku: '' }),
  'a negative price': (number) => ({ ...simpleProduct(number), price: -1 }),
  'a price in quotes': (number) => ({ ...simpleProduct(number), price: '10000' }),
  'half a piece in stock': (number) => ({ ...simpleProduct(number), stock: 0.5 }),
  'stock and warehouses': (number) => ({ ...simpleProduct(number), warehouses: NO_SUCH_WAREHOUSE }),
  'a photo that is no URL': (number) => ({ ...simpleProduct(number), photos: ['front.jpg'] }),
  'a weight in words': (number) => ({ ...simpleProduct(number), weight: 'heavy' }),
  'variants and a price of its own': (number) => ({ ...variantProduct(number), price: 10_000 }),
  'no variant': (number) => ({ ...variantProduct(number), variants: { items: [], optionGroups: [] } }),
  'an option that its group lacks': (number) =>
    withItems(number, (item) => ({ ...item, optionIndexes: [9] })),
  'a variant without its option': (number) => withItems(number, (item) => ({ ...item, optionIndexes: [] })),
  'not an object': (number) => [simpleProduct(number)],
};
