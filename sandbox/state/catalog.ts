import type { Product, Variant } from './product.ts';

/** The product or variant of a SKU. */
export interface SkuMatch {
  product: Product;
  /** Absent if the SKU is the product's own. */
  variant?: Variant;
}

/** A store's products, indexed by id, external ID and SKU. A UUID is the same in upper and lower case. */
export class Catalog {
  readonly #byId = new Map<string, Product>();
  readonly #byExternalId = new Map<string, Product>();
  /** The specification does not make SKUs unique. Of several products, the one that had the SKU first counts. */
  readonly #bySku = new Map<string, Map<Product | Variant, SkuMatch>>();

  get size(): number {
    return this.#byId.size;
  }

  all(): Product[] {
    return [...this.#byId.values()];
  }

  byId(id: string): Product | undefined {
    return this.#byId.get(id.toLowerCase());
  }

  byExternalId(externalId: string): Product | undefined {
    return this.#byExternalId.get(externalId.toLowerCase());
  }

  bySku(sku: string): SkuMatch | undefined {
    return this.#bySku.get(sku)?.values().next().value;
  }

  add(product: Product): void {
    this.#byId.set(product.id.toLowerCase(), product);
    this.index(product);
  }

  remove(product: Product): void {
    this.#byId.delete(product.id.toLowerCase());
    this.unindex(product);
  }

  /** Indexes a product by its current external ID and SKUs. */
  index(product: Product): void {
    if (product.externalId !== undefined) this.#byExternalId.set(product.externalId.toLowerCase(), product);
    for (const [sku, owner, match] of skusOf(product)) {
      const owners = this.#bySku.get(sku) ?? new Map<Product | Variant, SkuMatch>();
      this.#bySku.set(sku, owners.set(owner, match));
    }
  }

  /** Call it before a change of a product's external ID or SKUs, and `index` after the change. */
  unindex(product: Product): void {
    if (product.externalId !== undefined) this.#byExternalId.delete(product.externalId.toLowerCase());
    for (const [sku, owner] of skusOf(product)) {
      const owners = this.#bySku.get(sku);
      owners?.delete(owner);
      if (owners?.size === 0) this.#bySku.delete(sku);
    }
  }
}

function skusOf(product: Product): [sku: string, owner: Product | Variant, match: SkuMatch][] {
  const found: [string, Product | Variant, SkuMatch][] = [];
  if (product.sku !== undefined) found.push([product.sku, product, { product }]);
  for (const variant of product.variants) {
    if (variant.sku !== undefined) found.push([variant.sku, variant, { product, variant }]);
  }
  return found;
}
