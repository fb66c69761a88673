import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from '../../marketplace/errors.ts';
import type { ProductQuery } from '../../marketplace/products.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import { type BatchKind, CREATION_KINDS } from '../model.ts';
import { isProductOf, type OpenRow, type RowSighting, showsChanges } from '../rules/read-back.ts';

export interface ReadBackRowsPorts {
  readonly marketplace: Pick<MarketplaceClient, 'getProduct' | 'getProductBySku' | 'listProducts'>;
  /** Products per page. */
  readonly pageSize: number;
}

/** What a sweep may still spend; shared by the batches that it takes up. */
export interface CallBudget {
  /** Reads that may still be made; a batch that was begun is read whole all the same. */
  calls: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** How rows are read back within one sweep. */
export interface Reading {
  readonly budget: CallBudget;
  /** Lists that the sweep has read already, by store: they show the rows of all its batches. */
  readonly catalogs: Map<string, ListedCatalog>;
}

/** Reads in flight at a time; the limit that all functions share comes on top. */
const CONCURRENCY = 4;
/** From so many rows on it is asked whether the store's list takes fewer calls than a call for each. */
const LIST_FROM_ROWS = 10;
/** Failed reads after which the others of a batch are not tried: the marketplace is down. */
const MOST_FAILURES = 5;

/**
 * Reads rows back and notes in `sightings` what it sees, as far as it comes: products that were to be created by the
 * store's list, where that costs fewer calls or a row has no SKU to ask by, else by SKU; updates and deletions by ID; of other
 * kinds nothing is read.
 *
 * @throws {MarketplaceError}
 */
export async function readBackRows(
  ports: ReadBackRowsPorts,
  { kind, store }: { readonly kind: BatchKind | undefined; readonly store: StoreCredentials },
  rows: readonly OpenRow[],
  { budget, catalogs }: Reading,
  sightings: Map<number, RowSighting>,
): Promise<void> {
  let failures = 0;
  const look = async (some: readonly OpenRow[], read: (row: OpenRow) => Promise<RowSighting>) => {
    budget.calls -= some.length;
    await forEachConcurrently(some, CONCURRENCY, async (row) => {
      try {
        sightings.set(row.rowIndex, await read(row));
      } catch (error) {
        failures += 1;
        if (!isPassing(error) || failures > MOST_FAILURES) throw error;
      }
    });
  };
  if (kind === 'product-deletion') return look(rows, (row) => readDeleted(ports, store, row, budget));
  if (kind === 'product-update') return look(rows, (row) => readUpdated(ports, store, row, budget));

  if (!CREATION_KINDS.has(kind)) return;

  const named = rows.filter(({ sku }) => sku !== undefined);
  if (named.length < rows.length || rows.length >= LIST_FROM_ROWS) {
    // A list of one page more than there are rows costs as much as the rows themselves.
    const mostPages = named.length < rows.length ? Math.max(budget.calls, named.length) : named.length;
    const catalog = catalogs.get(store.storeClientId) ?? (await listCatalog(ports, store, budget, mostPages));
    catalogs.set(store.storeClientId, catalog);
    for (const row of rows) {
      const sighting = sightingIn(catalog, row);
      if (sighting !== undefined) sightings.set(row.rowIndex, sighting);
    }
  }
  const unseen = named.filter(({ rowIndex }) => !sightings.has(rowIndex));
  await look(unseen, (row) => readBySku(ports, store, row, budget));
}

/** What a store's list of products showed. */
interface ListedCatalog {
  readonly externalIds: ReadonlySet<string>;
  /** Whether the list was read to its end, and stayed the same meanwhile: what is not in it is not there. */
  readonly isWhole: boolean;
}

/**
 * Lists a store's products (§4.11), archived ones included, if that takes no more than `mostPages` further pages after
 * the first: otherwise the first page is all that is seen, as are the pages before one that can not be read.
 *
 * @throws {MarketplaceError} when the marketplace refuses the credentials.
 */
async function listCatalog(
  ports: ReadBackRowsPorts,
  store: StoreCredentials,
  budget: CallBudget,
  mostPages: number,
): Promise<ListedCatalog> {
  const externalIds = new Set<string>();
  const list = (query: ProductQuery) => listInto(externalIds, ports, store, budget, mostPages, query);
  try {
    // The spec does not say whether the list has archived products when it is not asked for them.
    return { externalIds, isWhole: (await list({})) && (await list({ isArchived: true })) };
  } catch (error) {
    if (isPassing(error)) return { externalIds, isWhole: false };
    throw error;
  }
}

async function listInto(
  externalIds: Set<string>,
  { marketplace, pageSize }: ReadBackRowsPorts,
  store: StoreCredentials,
  budget: CallBudget,
  mostPages: number,
  query: ProductQuery,
): Promise<boolean> {
  const ids = new Set<string>();
  const totals = new Set<number>();
  for (let page = 1; ; page += 1) {
    budget.calls -= 1;
    const { data, pagination } = await marketplace.listProducts(
      store,
      { ...query, page, limit: pageSize },
      { signal: budget.signal },
    );
    for (const { id, externalId } of data) {
      ids.add(id);
      if (typeof externalId === 'string') externalIds.add(externalId);
    }
    totals.add(pagination.total);
    // A product that comes or goes between two pages moves the others across their border.
    if (!pagination.hasNext || data.length === 0) return totals.size === 1 && totals.has(ids.size);
    if (pagination.totalPages - 1 > mostPages || page > mostPages) return false;
  }
}

/** What is in no list is asked for by its SKU, if it has one, before it counts as not there. */
function sightingIn(
  { externalIds, isWhole }: ListedCatalog,
  { externalId, sku }: OpenRow,
): RowSighting | undefined {
  if (externalId === undefined) return undefined;
  if (externalIds.has(externalId)) return 'done';
  return isWhole && sku === undefined ? 'not done' : undefined;
}

async function readBySku(
  { marketplace }: ReadBackRowsPorts,
  store: StoreCredentials,
  row: OpenRow,
  { signal }: CallBudget,
): Promise<RowSighting> {
  const product = await found(marketplace.getProductBySku(store, { sku: row.sku ?? '' }, { signal }));
  return product !== undefined && isProductOf(row, product) ? 'done' : 'not done';
}

async function readDeleted(
  { marketplace }: ReadBackRowsPorts,
  store: StoreCredentials,
  { id }: OpenRow,
  { signal }: CallBudget,
): Promise<RowSighting> {
  if (id === undefined) return 'unknown';
  return (await found(marketplace.getProduct(store, { productId: id }, { signal }))) ? 'not done' : 'done';
}

async function readUpdated(
  { marketplace }: ReadBackRowsPorts,
  store: StoreCredentials,
  { id, changes }: OpenRow,
  { signal }: CallBudget,
): Promise<RowSighting> {
  if (id === undefined || changes === undefined) return 'unknown';
  const product = await found(marketplace.getProduct(store, { productId: id }, { signal }));
  return product === undefined ? 'not done' : showsChanges(product, changes);
}

/** The product of an answer; `undefined` when there is none. */
async function found<Product>(reading: Promise<{ data: Product }>): Promise<Product | undefined> {
  try {
    return (await reading).data;
  } catch (error) {
    if (error instanceof MarketplaceError && error.code === PRODUCT_NOT_FOUND) return undefined;
    throw error;
  }
}

/**
 * Whether a read failed in a way that says nothing about the next one: not for the credentials, nor for a fault of
 * ours.
 */
function isPassing(error: unknown): boolean {
  return error instanceof MarketplaceError && !error.code.startsWith('AUTH_');
}
