// Products for tests and for the guided tour. The same number always gives the same product.

const CATEGORY_ID = '6f1c8a52-3b7e-4d0a-9c55-2e8f7b1d4a60';
const COLOURS = ['Black', 'White', 'Red'];

/** SKU of the simple product with this number. */
export function skuOf(number: number): string {
  return `SKU-${String(number).padStart(6, '0')}`;
}

/** A UUID that contains the number. */
export function externalIdOf(number: number): string {
  return `10000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** A simple product of §4.3 with all usual fields. */
export function simpleProduct(number: number) {
  return {
    externalId: externalIdOf(number),
    ...commonFields(number),
    sku: skuOf(number),
    price: 10_000 + number * 10,
    stock: number % 50,
  };
}

/** A product of §4.4 with one option group and a variant for each colour. */
export function variantProduct(number: number) {
  return {
    externalId: externalIdOf(number),
    ...commonFields(number),
    variants: {
      items: COLOURS.map((colour, index) => ({
        sku: `${skuOf(number)}-${colour.toUpperCase()}`,
        price: 10_000 + number * 10 + index,
        stock: (number + index) % 50,
        isDefault: index === 0,
        status: 'ACTIVE',
        weight: 250,
        photos: [],
        optionIndexes: [index],
        sortOrder: index,
      })),
      optionGroups: [{ level: 1, name: 'Colour', values: COLOURS.map((label) => ({ label })) }],
    },
  };
}

/** An NDJSON catalog file: the simple products with the numbers `first` to `first + count - 1`, one per line. */
export function ndjsonCatalog(count: number, first = 1): string {
  return Array.from(
    { length: count },
    (_, index) => `${JSON.stringify(simpleProduct(first + index))}\n`,
  ).join('');
}

/** The products of `ndjsonCatalog` as CSV, with the fields of its header only. */
export function csvCatalog(count: number, first = 1): string {
  const header =
    'externalId,name,description,sku,price,stock,weight,dimensions.length,dimensions.width,dimensions.height';
  const rows = Array.from({ length: count }, (_, index) => {
    const { externalId, name, description, sku, price, stock, weight, dimensions } = simpleProduct(
      first + index,
    );
    const { length, width, height } = dimensions;
    return [externalId, name, `"${description}"`, sku, price, stock, weight, length, width, height].join(',');
  });
  return `${[header, ...rows].join('\n')}\n`;
}

function commonFields(number: number) {
  return {
    name: `Product ${number}`,
    description: `A product for trying things out, number ${number}`,
    weight: 200 + (number % 800),
    dimensions: { length: 10 + (number % 20), width: 10, height: 5 },
    minOrder: 1,
    categoryId: CATEGORY_ID,
    hashtags: ['try', `n${number % 10}`],
    condition: 'NEW',
    photos: [`https://images.example/${number}.jpg`],
    isPreorder: false,
    preorderPeriod: 0,
    isArchived: false,
    insuranceRequired: false,
    codEnabled: true,
  };
}
