import type { Product, Variant } from './product.ts';

/** What a SKU leads to. */
export interface SkuMatch {
  product: Product;
  /** Absent when the SKU is the product's own. */
  variant?: Variant;
}

/** A store's products, found by id, external ID and SKU without a scan. */
export class Catalog {
  readonly #byId = new Map<string, Product>();
  readonly #byExternalId = new Map<string, Product>();
  /** The spec does not make SKUs unique: of several products, the one that had the SKU first answers to it. */
  readonly #bySku = new Map<string, Map<Product | Variant, SkuMatch>>();

  get size(): number {
    return this.#byId.size;
  }

  all(): Product[] {
    return [...this.#byId.values()];
  }

  byId(id: string): Product | undefined {
    return this.#byId.get(id);
  }

  byExternalId(externalId: string): Product | undefined {
    return this.#byExternalId.get(externalId);
  }

  bySku(sku: string): SkuMatch | undefined {
    return this.#bySku.get(sku)?.values().next().value;
  }

  add(product: Product): void {
    this.#byId.set(product.id, product);
    this.index(product);
  }

  remove(product: Product): void {
    this.#byId.delete(product.id);
    this.unindex(product);
  }

  /** Makes a product findable by its present external ID and SKUs. */
  index(product: Product): void {
    if (product.externalId !== undefined) this.#byExternalId.set(product.externalId, product);
    for (const [sku, owner, match] of skusOf(product)) {
      const owners = this.#bySku.get(sku) ?? new Map<Product | Variant, SkuMatch>();
      this.#bySku.set(sku, owners.set(owner, match));
    }
  }

  /** To be called before a product's external ID or SKUs change, with `index` after it. */
  unindex(product: Product): void {
    if (product.externalId !== undefined) this.#byExternalId.delete(product.externalId);
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
