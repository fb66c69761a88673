import * as z from 'zod';
import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { answer, fail, type MarketplaceAnswer } from '../answers.ts';
import { placeOf } from '../catalog.ts';
import { MarketplaceGate } from '../marketplace-gate.ts';
import { CatalogSyncs } from './catalog-syncs.ts';
import { PASSING_WAREHOUSE, type Plan, type PlannedStore } from './plan.ts';
import { Rows } from './rows.ts';
import { namesPassing, newProductSchema, offerRowSchema, type Shelf, type ShelfProduct } from './shelf.ts';

const PREFIX = '/api/v1/partner/stores';
const PRODUCT = /^\/products\/(?<id>[^/]+)$/;
const BY_SKU = /^\/products\/sku\/(?<sku>[^/]+)$/;

/** Endpoints whose answer tells the outcome of its rows. That to a catalog sync is not specified (§4.3). */
const BULK: ReadonlySet<string> = new Set([
  '/products/bulk',
  '/products/with-variants/bulk',
  '/products/prices',
  '/inventory',
  '/products/deletions',
]);

const productsBody = z.strictObject({ products: z.array(z.unknown()).min(1) });
const itemsBody = z.strictObject({ items: z.array(offerRowSchema).min(1) });
const idsBody = z.strictObject({ ids: z.array(z.string()).min(1) });

/** A description that makes the marketplace refuse an update. Only such updates have one. */
export const REFUSED = 'refused';

/** The purposes of requests, for the checks. */
interface Observer {
  readonly purposeOf: (request: TransportRequest) => string;
  readonly deleterOf: (request: TransportRequest, id: string) => string;
}

/** The marketplace's endpoints for products, prices and stocks (§4.3 – §4.15). */
export class ProductMarketplace {
  readonly gate: MarketplaceGate;
  readonly syncs: CatalogSyncs;
  readonly rows: Rows;
  /** Stores whose temporary warehouse exists now. */
  readonly passing = new Set<PlannedStore>();
  readonly #simulation: Simulation;
  readonly #plan: Plan;
  readonly #shelf: Shelf;
  readonly #purposeOf: Observer['purposeOf'];
  readonly #deleterOf: Observer['deleterOf'];

  constructor(
    simulation: Simulation,
    { plan, shelf, purposeOf, deleterOf }: { plan: Plan; shelf: Shelf } & Observer,
  ) {
    this.#simulation = simulation;
    this.#plan = plan;
    this.#shelf = shelf;
    this.#purposeOf = purposeOf;
    this.#deleterOf = deleterOf;
    this.gate = new MarketplaceGate(simulation, plan.stores);
    this.rows = new Rows(simulation, plan, shelf);
    this.syncs = new CatalogSyncs(simulation, this.rows, this.gate);
  }

  handle(request: TransportRequest): MarketplaceAnswer {
    const refusal = this.gate.refuse(request);
    const store = this.#plan.stores.find(
      ({ storeClientId }) => storeClientId === request.headers['x-store-client-id'],
    );
    if (refusal !== undefined || store === undefined) return refusal ?? fail(403, 'AUTH_014');
    const path = decodeURIComponent(new URL(request.url).pathname).slice(PREFIX.length);
    const isCreation = path.startsWith('/catalog') || path.endsWith('/bulk');
    const refusedWhole = isCreation ? this.#refuseWhole(store, request) : undefined;
    if (refusedWhole !== undefined) return refusedWhole;
    const effect = () => this.#route(store, path, request);
    return BULK.has(path) ? this.gate.disturbBulk(effect) : this.gate.disturb(effect);
  }

  #refuseWhole(store: PlannedStore, { body }: TransportRequest): MarketplaceAnswer | undefined {
    const { products } = productsBody.parse(parse(body));
    if (products.some((row) => this.rows.isPoison(row))) return fail(400, 'VAL_001');
    if (this.passing.has(store) || !products.some((row) => namesPassing(newProductSchema.parse(row))))
      return undefined;
    return fail(400, 'VAL_001', { validationErrors: { warehouses: `unknown: ${PASSING_WAREHOUSE}` } });
  }

  #route(store: PlannedStore, path: string, request: TransportRequest): MarketplaceAnswer {
    const body = parse(request.body);
    switch (`${request.method} ${path}`) {
      case 'GET /warehouses':
        return answer(200, {
          success: true,
          data: this.#warehousesOf(store).map((clientId) => ({
            id: clientId,
            clientId,
            warehouseName: clientId,
          })),
        });
      case 'GET /products':
        return this.#list(store, new URL(request.url).searchParams);
      case 'POST /catalog/sync':
      case 'POST /catalog/variants/sync':
        return this.syncs.accept(store, productsBody.parse(body).products, this.#purposeOf(request));
      case 'POST /products/bulk':
      case 'POST /products/with-variants/bulk':
        return this.#create(store, productsBody.parse(body).products, this.#purposeOf(request));
      case 'PATCH /products/prices':
        return this.#offer(store, itemsBody.parse(body).items, 'PRD_016');
      case 'PATCH /inventory':
        return this.#offer(store, itemsBody.parse(body).items, 'INV_001');
      case 'POST /products/deletions':
        return this.#delete(store, idsBody.parse(body).ids, request);
      default:
        return this.#single(store, path, request);
    }
  }

  #single(store: PlannedStore, path: string, request: TransportRequest): MarketplaceAnswer {
    const sku = BY_SKU.exec(path)?.groups?.sku;
    const id = PRODUCT.exec(path)?.groups?.id;
    const product = sku === undefined ? this.#shelf.get(id ?? '') : this.#shelf.bySku(store, sku);
    if (product === undefined || product.store !== store) return fail(404, 'PRD_014');
    if (request.method === 'GET') return answer(200, { success: true, data: this.#show(product) });
    const fields = z.record(z.string(), z.unknown()).parse(parse(request.body));
    if (fields.description === REFUSED) return fail(400, 'VAL_001');
    const commandId = this.#purposeOf(request);
    for (const [field, value] of Object.entries(fields)) {
      this.#shelf.setField(product, field, value, commandId);
    }
    return answer(200, { success: true, data: { id: product.id, updatedFields: Object.keys(fields) } });
  }

  #warehousesOf(store: PlannedStore): string[] {
    return [...store.warehouses, ...(this.passing.has(store) ? [PASSING_WAREHOUSE] : [])];
  }

  #list(store: PlannedStore, query: URLSearchParams): MarketplaceAnswer {
    const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 50)];
    const all = this.#shelf.all().filter((product) => product.store === store);
    const data = all.slice((page - 1) * limit, page * limit).map((product) => this.#show(product));
    const totalPages = Math.ceil(all.length / limit);
    const place = { page, limit, total: all.length, totalPages };
    return answer(200, {
      success: true,
      data,
      pagination: { ...place, hasNext: page < totalPages, hasPrev: page > 1 },
    });
  }

  #show({ store, id, externalId, skus, hasVariants, tag, fields }: ShelfProduct): object {
    const changed = Object.fromEntries([...fields].map(([field, { value }]) => [field, value]));
    const common = { id, externalId, name: tag, ...changed };
    if (hasVariants) {
      const items = skus.map((sku) => ({ sku, ...this.#showOffer(store, sku) }));
      return { ...common, hasVariant: true, variants: { items } };
    }
    return { ...common, ...this.#showOffer(store, externalId), ...(skus.length > 0 && { sku: skus[0] }) };
  }

  /** Price and stock of a simple product, or of a variant. */
  #showOffer(store: PlannedStore, unit: string): object {
    const shown = (name: string) => this.#shelf.values.get(placeOf(store.storeClientId, unit, name));
    const warehouses = store.warehouses.map((clientId) => ({
      clientId,
      stock: shown(`stock@${clientId}`),
    }));
    const stock = warehouses.length === 0 ? { stock: shown('stock@-') } : { warehouses };
    return { price: shown('price'), specialPrice: shown('specialPrice'), ...stock };
  }

  #create(store: PlannedStore, rows: readonly unknown[], purpose: string): MarketplaceAnswer {
    const errors = this.rows.create(store, rows, purpose);
    return this.#batch(rows.length, errors);
  }

  #offer(
    store: PlannedStore,
    items: readonly z.infer<typeof offerRowSchema>[],
    missing: string,
  ): MarketplaceAnswer {
    const errors = items.flatMap(({ sku, id, ...row }, rowIndex) => {
      if (
        this.#shelf.offer(store, {
          ...row,
          ...(sku !== undefined && { sku }),
          ...(id !== undefined && { id }),
        })
      )
        return [];
      return [{ code: missing, message: missing, rowIndex, sku, id, details: { retryable: false } }];
    });
    return this.#batch(items.length, errors);
  }

  #batch(rows: number, errors: readonly object[]): MarketplaceAnswer {
    const batchId = this.#simulation.newId('batch');
    const named = this.#simulation.faults.strikes('answer without batchId') ? {} : { batchId };
    const summary = { total: rows, failed: errors.length, pending: rows - errors.length };
    const data = { summary, acceptedRows: [], errors, ...named };
    return answer(200, { success: true, requestId: `request-of-${batchId}`, data });
  }

  #delete(store: PlannedStore, ids: readonly string[], request: TransportRequest): MarketplaceAnswer {
    const errors = ids.flatMap((id, rowIndex) => {
      const isThere = this.#shelf.get(id)?.store === store;
      if (isThere && this.#shelf.remove(id, this.#deleterOf(request, id))) return [];
      return [{ code: 'PRD_014', message: 'PRD_014', rowIndex, id, details: { retryable: false } }];
    });
    const counts = { total: ids.length, succeeded: ids.length - errors.length, failed: errors.length };
    return answer(200, { success: true, data: { summary: counts, successItems: [], errors } });
  }
}

function parse(body: Uint8Array | undefined): unknown {
  return body === undefined ? undefined : JSON.parse(Buffer.from(body).toString());
}
