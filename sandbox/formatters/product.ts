import type { Offer } from '../state/offer.ts';
import {
  activeVariants,
  aggregateStock,
  hasVariants,
  leadingVariant,
  type Product,
  type Variant,
  variantName,
} from '../state/product.ts';
import type { Store } from '../state/store.ts';

interface ProductView {
  /** Omit inactive variants. */
  onlyActiveVariants?: boolean;
  /** Add the history of price and stock. */
  withHistory?: boolean;
}

/** A Product in an answer (§2). */
export function formatProduct(
  store: Store,
  product: Product,
  view: ProductView = {},
): Record<string, unknown> {
  const variants = view.onlyActiveVariants ? activeVariants(product) : product.variants;
  const { subCategoryId: _requestOnly, ...attributes } = product.attributes;
  const priced = leadingVariant(product)?.offer ?? product.offer;
  return {
    id: product.id,
    externalId: product.externalId ?? null,
    ...attributes,
    sku: product.sku ?? null,
    price: priced.price,
    specialPrice: priced.specialPrice,
    stock: aggregateStock(product),
    departmentId: null,
    isArchived: product.attributes.isArchived ?? false,
    isVerified: false,
    hasVariant: hasVariants(product),
    warehouses: hasVariants(product) ? [] : warehouseStock(store, product.offer),
    variants: {
      items: variants
        .toSorted((left, right) => left.sortOrder - right.sortOrder)
        .map((variant) => formatVariant(store, product, variant, view)),
      optionGroups: product.optionGroups,
    },
    ...(view.withHistory ? { history: product.offer.history } : {}),
  };
}

function formatVariant(store: Store, product: Product, variant: Variant, view: ProductView) {
  const { offer } = variant;
  return {
    id: offer.id,
    name: variantName(product, variant),
    sku: variant.sku ?? null,
    isActive: variant.isActive,
    price: offer.price,
    specialPrice: offer.specialPrice,
    optionIndexes: variant.optionIndexes,
    photos: variant.photos,
    stock: offer.totalStock,
    ...(variant.weight === undefined ? {} : { weight: variant.weight }),
    warehouses: store.warehouses.map(({ id, clientId }) => ({
      id,
      clientId,
      stock: offer.stockByWarehouse.get(clientId) ?? 0,
      isActive: true,
    })),
    ...(view.withHistory ? { history: offer.history } : {}),
  };
}

function warehouseStock(store: Store, offer: Offer) {
  return store.warehouses.map(({ clientId }) => ({
    clientId,
    stock: offer.stockByWarehouse.get(clientId) ?? 0,
  }));
}
