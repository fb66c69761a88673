import fc from 'fast-check';

/** Payloads as partners send them: mostly valid, each part sometimes invalid in a way that the spec names. */

const mostly = <T, U>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ arbitrary: right, weight: 15 }, { arbitrary: wrong, weight: 1 });

const uuid = mostly(fc.uuid(), fc.constantFrom('', 'no-uuid', '7b0a1f0e52a54b1e9a550c9a4f6f2f11'));
const sku = mostly(fc.stringMatching(/^[A-Za-z0-9/ ._-]{1,20}$/), fc.constant(''));
/**
 * The client refuses prices between 0 and a billionth, which the specification allows: no currency has such small
 * units.
 */
const goodPrice = fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1e9, noNaN: true }));
const price = mostly(goodPrice, fc.constantFrom(-1, '100', null));
const stock = mostly(fc.nat(100_000), fc.constantFrom(-1, 0.5, '3', null));
const url = mostly(fc.webUrl(), fc.constant('photo.jpg'));
const clientId = mostly(fc.constantFrom('wh-1', 'wh-2'), fc.constantFrom('no-such-warehouse', ''));
const warehouseStock = fc.record({ clientId, stock });

/** Leaves out each of the fields with probability 1/2. */
const some = <T extends object>(fields: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) =>
  fc.record(fields, { requiredKeys: [] });

export const stockItem = fc
  .record({
    identifier: mostly(
      fc.oneof(fc.record({ sku }), fc.record({ id: uuid }), fc.record({ externalId: uuid })),
      some({ sku, id: uuid, externalId: uuid }),
    ),
    levels: fc.oneof(
      fc.record({ stock }),
      fc.record({ stock, warehouses: fc.array(clientId, { maxLength: 3 }) }),
      fc.record({ warehouses: fc.array(warehouseStock, { maxLength: 3 }) }),
      some({ stock, warehouses: fc.array(fc.oneof(clientId, warehouseStock), { maxLength: 3 }) }),
    ),
  })
  .map(({ identifier, levels }) => ({ ...identifier, ...levels }));

export const priceItem = fc
  .record({
    identifier: mostly(fc.oneof(fc.record({ sku }), fc.record({ id: uuid })), some({ sku, id: uuid })),
    prices: fc.record({ price, specialPrice: fc.option(price) }, { requiredKeys: [] }),
  })
  .map(({ identifier, prices }) => ({ ...identifier, ...prices }));

const commonFields = {
  name: fc.string(),
  description: fc.string(),
  weight: mostly(fc.nat(), fc.constant(1.5)),
  dimensions: mostly(
    fc.record({ length: fc.nat(), width: fc.nat(), height: fc.nat() }),
    fc.record({ length: fc.nat(), width: fc.nat() }),
  ),
  categoryId: uuid,
  subCategoryId: uuid,
  brandId: uuid,
  hashtags: fc.array(fc.string(), { maxLength: 3 }),
  condition: fc.constant('NEW'),
  photos: fc.array(url, { maxLength: 2 }),
  isPreorder: mostly(fc.boolean(), fc.constant('yes')),
  preorderPeriod: fc.nat(30),
};

const stockLevels = fc.oneof(
  fc.record({}),
  fc.record({ stock }),
  fc.record({ warehouses: fc.array(warehouseStock, { minLength: 1, maxLength: 2 }) }),
  some({ stock, warehouses: fc.array(warehouseStock, { maxLength: 2 }) }),
);

const offer = fc
  .record({ fields: some({ sku, price, specialPrice: fc.option(price) }), levels: stockLevels })
  .map(({ fields, levels }) => ({ ...fields, ...levels }));

const externalId = mostly(fc.uuid(), fc.constant('no-uuid'));

export const simpleProduct = fc
  .record({ externalId, common: some(commonFields), offer })
  .map((product) => ({ externalId: product.externalId, ...product.common, ...product.offer }));

const optionGroups = fc
  .array(fc.array(fc.record({ label: fc.string() }), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 2,
  })
  .map((groups) =>
    groups.map((values, index) => ({ level: index + 1, name: `Option ${index + 1}`, values })),
  );

const variants = optionGroups.chain((groups) => {
  const indexes = fc.tuple(
    ...groups.map(({ values }) => mostly(fc.nat(values.length - 1), fc.constantFrom(9, -1))),
  );
  const optionIndexes = mostly(indexes, fc.constant([0, 0, 0]));
  const item = fc
    .record({ optionIndexes, fields: some({ sku, price }), levels: stockLevels })
    .map((variant) => ({ optionIndexes: variant.optionIndexes, ...variant.fields, ...variant.levels }));
  return fc.record({ items: fc.array(item, { maxLength: 3 }), optionGroups: fc.constant(groups) });
});

export const variantProduct = fc
  .record({ externalId, common: some(commonFields), variants, stray: mostly(fc.constant({}), offer) })
  .map((product) => ({
    externalId: product.externalId,
    ...product.common,
    ...product.stray,
    variants: product.variants,
  }));

export const productChanges = fc
  .record({
    common: some(commonFields),
    offer: fc.oneof(fc.constant({}), offer),
    variants: fc.option(variants, { nil: undefined }),
  })
  .map(({ common, offer: own, variants: given }) => ({
    ...common,
    ...own,
    ...(given && { variants: given }),
  }));

const text = mostly(fc.string({ minLength: 1 }), fc.constantFrom('', 7));
const postalCode = mostly(fc.stringMatching(/^\d{5}$/), fc.stringMatching(/^(\d{4}|\d{6}|[a-z]{5})$/));

export const newWarehouse = fc.record({
  externalId: uuid,
  warehouseName: mostly(fc.uuid(), fc.constantFrom('', 7)),
  isMain: mostly(fc.constant(false), fc.constant('no')),
  phone: text,
  area: fc.record({
    provinceId: uuid,
    cityId: uuid,
    districtId: uuid,
    subDistrictId: uuid,
    latitude: text,
    longitude: text,
    postalCode,
    address: text,
  }),
});
