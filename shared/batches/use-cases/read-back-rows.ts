import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from '../../marketplace/errors.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { BatchKind } from '../model.ts';
import { isPassing } from '../rules/failed-read.ts';
import { isProductOf, type OpenRow, type RowSighting } from '../rules/read-back.ts';
import { showsChanges } from '../rules/shows-changes.ts';
import type { CallBudget } from './call-budget.ts';
import { type ListCatalogPorts, type ListedCatalog, listCatalog } from './list-catalog.ts';

export interface ReadBackRowsPorts extends ListCatalogPorts {
  readonly marketplace: Pick<MarketplaceClient, 'getProduct' | 'getProductBySku' | 'listProducts'>;
}

/** How rows are read back within one sweep. */
export interface Reading {
  readonly budget: CallBudget;
  /** Lists that the sweep has read already, by store: they tell of the rows of all its batches. */
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
 * store's list, where that costs fewer calls or a row has no SKU to ask by, else by SKU; updates and deletions by ID.
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
