import * as z from 'zod';
import { placeOf, stockPlaces } from '../catalog.ts';
import { guid, PASSING_WAREHOUSE, type PlannedStore } from './plan.ts';

/** A product at the marketplace. */
export interface ShelfProduct {
  readonly id: string;
  readonly store: PlannedStore;
  readonly externalId: string;
  /** An update may set another. */
  skus: readonly string[];
  readonly hasVariants: boolean;
  /** The name at its creation, which identifies the row. */
  readonly tag: string;
  /** Values of its fields, and the commands that they are from. */
  readonly fields: Map<string, { readonly value: unknown; readonly commandId: string }>;
}

export interface ShelfEvents {
  /** @param purpose the purpose of the request that created it. */
  onCreated(product: ShelfProduct, purpose: string): void;
  onRemoved(product: ShelfProduct, commandId: string): void;
  /** A field was set by a command; `before` is the command that had set it. */
  onField(product: ShelfProduct, field: string, commandId: string, before: string | undefined): void;
  /** Price or stock was set. */
  onOffer(place: string, value: number | null): void;
}

const offerSchema = z.looseObject({
  price: z.number().optional(),
  specialPrice: z.number().nullish(),
  stock: z.number().optional(),
  warehouses: z.array(z.object({ clientId: z.string(), stock: z.number() })).optional(),
});
type Offer = z.infer<typeof offerSchema>;

/** A product to create, read without the connector's schemas. */
export const newProductSchema = offerSchema.extend({
  externalId: z.string(),
  name: z.string(),
  sku: z.string().optional(),
  variants: z.looseObject({ items: z.array(offerSchema.extend({ sku: z.string() })) }).optional(),
});
export type NewProduct = z.infer<typeof newProductSchema>;

/** A price or stock row: one name and its values. */
export const offerRowSchema = offerSchema.extend({
  sku: z.string().optional(),
  id: z.string().optional(),
  externalId: z.string().optional(),
});
export type OfferRow = z.infer<typeof offerRowSchema>;

/** The marketplace's products, and every effect on them as it happens. */
export class Shelf {
  /** Current values, by place. */
  readonly values = new Map<string, number | null>();
  /** All values so far, by place. */
  readonly history = new Map<string, Set<number | null>>();
  readonly #events: ShelfEvents;
  readonly #products = new Map<string, ShelfProduct>();
  #lastId = 0;

  constructor(events: ShelfEvents) {
    this.#events = events;
  }

  all(): ShelfProduct[] {
    return [...this.#products.values()];
  }

  get(id: string): ShelfProduct | undefined {
    return this.#products.get(id);
  }

  byExternalId(store: PlannedStore, externalId: string): ShelfProduct | undefined {
    return this.all().find((one) => one.store === store && one.externalId === externalId);
  }

  bySku(store: PlannedStore, sku: string): ShelfProduct | undefined {
    return this.all().find((one) => one.store === store && one.skus.includes(sku));
  }

  create(store: PlannedStore, row: NewProduct, purpose = ''): ShelfProduct {
    this.#lastId += 1;
    const variants = row.variants?.items ?? [];
    const skus = [row, ...variants].flatMap(({ sku }) => (sku === undefined ? [] : [sku]));
    const { externalId, name: tag } = row;
    const id = guid('a', this.#lastId);
    const product = { id, store, externalId, skus, hasVariants: variants.length > 0, tag, fields: new Map() };
    this.#products.set(product.id, product);
    this.#events.onCreated(product, purpose);
    if (variants.length === 0) this.#setOffer(store, externalId, row);
    for (const variant of variants) this.#setOffer(store, variant.sku, variant);
    return product;
  }

  remove(id: string, commandId: string): boolean {
    const product = this.#products.get(id);
    if (product === undefined) return false;
    this.#products.delete(id);
    this.#events.onRemoved(product, commandId);
    return true;
  }

  setField(product: ShelfProduct, field: string, value: unknown, commandId: string): void {
    const before = product.fields.get(field)?.commandId;
    product.fields.set(field, { value, commandId });
    if (field === 'sku') product.skus = [String(value)];
    this.#events.onField(product, field, commandId, before);
  }

  /** `false` when there is nothing by that name. */
  offer(store: PlannedStore, row: OfferRow): boolean {
    const { sku, id, externalId } = row;
    const product =
      (sku !== undefined && this.bySku(store, sku)) ||
      (id !== undefined && this.get(id)) ||
      (externalId !== undefined && this.byExternalId(store, externalId));
    if (!product) return false;
    this.#setOffer(store, unitOf(product, sku), row);
    return true;
  }

  #setOffer(store: PlannedStore, unit: string, { price, specialPrice, stock, warehouses = [] }: Offer): void {
    const put = (name: string, value: number | null) => {
      const place = placeOf(store.storeClientId, unit, name);
      this.values.set(place, value);
      this.history.set(place, (this.history.get(place) ?? new Set()).add(value));
      this.#events.onOffer(place, value);
    };
    if (price !== undefined) put('price', price);
    if (specialPrice !== undefined) put('specialPrice', specialPrice);
    if (stock !== undefined) for (const place of stockPlaces(store)) put(place, stock);
    for (const { clientId, stock: own } of warehouses) {
      if (clientId !== PASSING_WAREHOUSE) put(`stock@${clientId}`, own);
    }
  }
}

/** The unit with its own price and stock: a simple product by its externalId, or a variant by its SKU. */
function unitOf({ externalId, hasVariants }: ShelfProduct, sku: string | undefined): string {
  return hasVariants && sku !== undefined ? sku : externalId;
}

/** Whether a product, or one of its variants, has stock in the temporary warehouse. */
export function namesPassing({ variants, ...own }: NewProduct): boolean {
  const named = [own, ...(variants?.items ?? [])].flatMap(({ warehouses = [] }) => warehouses);
  return named.some(({ clientId }) => clientId === PASSING_WAREHOUSE);
}
