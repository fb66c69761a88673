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
  /** Of an update, given as it was archived. Default: no newer one has set any of its fields. */
  readonly overtakenFields?: (storeClientId: string, sent: unknown) => Promise<OvertakenFields>;
}

/** Fields of an update that newer updates concern: what a product shows of them says nothing of the older one. */
export interface OvertakenFields {
  /** Set by a newer update, as far as it will ever be known. */
  readonly set: readonly string[];
  /** Sent with a newer update whose outcome is not known yet. */
  readonly claimed: readonly string[];
}

/** What the batches of one sweep share. */
export interface Reading {
  /** Reads that the sweep may still make; a batch that was begun is read whole all the same. */
  calls: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** Lists that were read already, by store: they show the rows of all batches. */
  readonly catalogs: Map<string, ListedCatalog>;
}

/** What a store's list of products showed. */
interface ListedCatalog {
  readonly externalIds: ReadonlySet<string>;
  /** Whether the list was read to its end, and stayed the same meanwhile: what is not in it is not there. */
  readonly isWhole: boolean;
}

/** What reading needs of a store's batch. */
interface Reader extends ReadBackRowsPorts {
  readonly kind: BatchKind | undefined;
  readonly store: StoreCredentials;
  readonly reading: Reading;
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
  reader: Reader,
  rows: readonly OpenRow[],
  sightings: Map<number, RowSighting>,
): Promise<void> {
  const { kind, store, reading } = reader;
  let failures = 0;
  const look = async (some: readonly OpenRow[], read: typeof readUpdated) => {
    reading.calls -= some.length;
    await forEachConcurrently(some, CONCURRENCY, async (row) => {
      try {
        sightings.set(row.rowIndex, await read(reader, row));
      } catch (error) {
        failures += 1;
        if (!isPassing(error) || failures > MOST_FAILURES) throw error;
      }
    });
  };
  if (kind === 'product-deletion') return look(rows, readDeleted);
  if (kind === 'product-update') return look(rows, readUpdated);
  if (!CREATION_KINDS.has(kind)) return;

  const named = rows.filter(({ sku }) => sku !== undefined);
  if (named.length < rows.length || rows.length >= LIST_FROM_ROWS) {
    // A list of one page more than there are rows costs as much as the rows themselves.
    const mostPages = named.length < rows.length ? Math.max(reading.calls, named.length) : named.length;
    const catalog = reading.catalogs.get(store.storeClientId) ?? (await listCatalog(reader, mostPages));
    reading.catalogs.set(store.storeClientId, catalog);
    for (const row of rows) {
      const sighting = sightingIn(catalog, row);
      if (sighting !== undefined) sightings.set(row.rowIndex, sighting);
    }
  }
  const unseen = named.filter(({ rowIndex }) => !sightings.has(rowIndex));
  await look(unseen, readBySku);
}

/**
 * Lists a store's products (§4.11), archived ones included, if that takes no more than `mostPages` further pages after
 * the first: otherwise the first page is all that is seen, as are the pages before one that can not be read.
 *
 * @throws {MarketplaceError} when the marketplace refuses the credentials.
 */
async function listCatalog(reader: Reader, mostPages: number): Promise<ListedCatalog> {
  const externalIds = new Set<string>();
  const list = (query: ProductQuery) => listInto(externalIds, reader, mostPages, query);
  try {
    // The spec does not say whether the list has archived products when it is not asked for them.
    return { externalIds, isWhole: (await list({})) && (await list({ isArchived: true })) };
  } catch (error) {
    if (isPassing(error)) return { externalIds, isWhole: false };
    throw error;
  }
}

/** Whether the list was read to its end, and stayed the same meanwhile. */
async function listInto(
  externalIds: Set<string>,
  { marketplace, pageSize, store, reading }: Reader,
  mostPages: number,
  query: ProductQuery,
): Promise<boolean> {
  const { signal } = reading;
  const ids = new Set<string>();
  const totals = new Set<number>();
  for (let page = 1; ; page += 1) {
    reading.calls -= 1;
    const asked = { ...query, page, limit: pageSize };
    const { data, pagination } = await marketplace.listProducts(store, asked, { signal });
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

async function readBySku({ marketplace, store, reading }: Reader, row: OpenRow): Promise<RowSighting> {
  const { signal } = reading;
  const product = await found(marketplace.getProductBySku(store, { sku: row.sku ?? '' }, { signal }));
  return product !== undefined && isProductOf(row, product) ? 'done' : 'not done';
}

async function readDeleted(reader: Reader, { id }: OpenRow): Promise<RowSighting> {
  if (id === undefined) return 'unknown';
  return (await readById(reader, id)) === undefined ? 'done' : 'not done';
}

async function readUpdated(reader: Reader, { id, changes, sent }: OpenRow): Promise<RowSighting> {
  if (id === undefined || changes === undefined) return 'unknown';
  const product = await readById(reader, id);
  if (product === undefined) return 'not done';
  // After the product: by then it is known of each newer update that the product may show.
  const { set = [], claimed = [] } = (await reader.overtakenFields?.(reader.store.storeClientId, sent)) ?? {};
  const left = Object.entries(changes).filter(([field]) => !set.includes(field));
  if (left.length === 0) return 'done';
  return showsChanges(product, Object.fromEntries(left.filter(([field]) => !claimed.includes(field))));
}

function readById({ marketplace, store, reading }: Reader, productId: string) {
  const { signal } = reading;
  return found(marketplace.getProduct(store, { productId }, { signal }));
}

/** The product of an answer; `undefined` when there is none. */
async function found<Product>(answer: Promise<{ data: Product }>): Promise<Product | undefined> {
  try {
    return (await answer).data;
  } catch (error) {
    if (error instanceof MarketplaceError && error.code === PRODUCT_NOT_FOUND) return undefined;
    throw error;
  }
}

/** Whether a failed read says nothing about the next one: it is neither for the credentials nor a fault of ours. */
function isPassing(error: unknown): boolean {
  return error instanceof MarketplaceError && !error.code.startsWith('AUTH_');
}
