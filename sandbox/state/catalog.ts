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
  /** The specification does not make SKUs unique. Of several products with a SKU, the one that had the SKU first counts. */
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
    this.#index(product);
  }

  remove(product: Product): void {
    this.#byId.delete(product.id.toLowerCase());
    this.#unindex(product);
  }

  /** Changes a product's external ID or SKUs. A SKU that the product keeps also keeps its owner. */
  change<Result>(product: Product, change: () => Result): Result {
    const before = skusOf(product);
    if (product.externalId !== undefined) this.#byExternalId.delete(product.externalId.toLowerCase());
    const result = change();
    this.#index(product);
    const kept = skusOf(product);
    const isKept = ([sku, owner]: SkuOwner) => kept.some(([one, its]) => one === sku && its === owner);
    this.#disown(before.filter((one) => !isKept(one)));
    return result;
  }

  #index(product: Product): void {
    if (product.externalId !== undefined) this.#byExternalId.set(product.externalId.toLowerCase(), product);
    for (const [sku, owner, match] of skusOf(product)) {
      const owners = this.#bySku.get(sku) ?? new Map<Product | Variant, SkuMatch>();
      this.#bySku.set(sku, owners.set(owner, match));
    }
  }

  #unindex(product: Product): void {
    if (product.externalId !== undefined) this.#byExternalId.delete(product.externalId.toLowerCase());
    this.#disown(skusOf(product));
  }

  #disown(skus: readonly SkuOwner[]): void {
    for (const [sku, owner] of skus) {
      const owners = this.#bySku.get(sku);
      owners?.delete(owner);
      if (owners?.size === 0) this.#bySku.delete(sku);
    }
  }
}

type SkuOwner = [sku: string, owner: Product | Variant, match: SkuMatch];

function skusOf(product: Product): SkuOwner[] {
  const found: SkuOwner[] = [];
  if (product.sku !== undefined) found.push([product.sku, product, { product }]);
  for (const variant of product.variants) {
    if (variant.sku !== undefined) found.push([variant.sku, variant, { product, variant }]);
  }
  return found;
}
