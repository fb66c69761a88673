import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { findProduct } from '../../marketplace/find-product.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import { type BatchKind, creationOf } from '../model.ts';
import type { SettleBatchPorts } from '../ports.ts';
import { isProductOf, type OpenRow, type RowOutcome, showsChanges } from '../rules/read-back.ts';

/** State that the read-backs of one sweep share. */
export interface Reading {
  /** Remaining budget of reads. A batch whose read-back has begun may exceed it. */
  calls: number;
  readonly signal: AbortSignal;
  /** Lists of products that this sweep has read already, by store. */
  readonly catalogs: Map<string, ListedCatalog>;
}

interface ListedCatalog {
  /** In lower case. */
  readonly externalIds: ReadonlySet<string>;
  /** Whether the list was read to its end and did not change meanwhile. If so, a product that is not in it does not exist. */
  readonly isWhole: boolean;
}

interface Reader extends SettleBatchPorts {
  readonly kind: BatchKind | undefined;
  /** ID of the request that began the batch. */
  readonly recordId: string;
  readonly store: StoreCredentials;
  readonly reading: Reading;
}

/** Reads in flight at a time, within the shared rate limit. */
const CONCURRENCY = 4;
/** From this many rows on, the store's products are listed if that takes fewer calls than reading each row. */
const LIST_FROM_ROWS = 10;
/** Most failed reads per batch. After more failures the marketplace counts as down. */
const MOST_FAILURES = 5;

/**
 * Reads rows back into `outcomes`. Updates and deletions are read by ID, creations by SKU. Creations are looked up in the store's
 * list of products if that takes fewer calls, if a row has no SKU, or if its SKU shows another product. Other kinds of batch have no
 * read-back.
 *
 * @throws {MarketplaceError} `outcomes` then has the rows that were read before.
 */
export async function readBackRows(
  reader: Reader,
  rows: readonly OpenRow[],
  outcomes: Map<number, RowOutcome>,
): Promise<void> {
  const { kind, store, reading } = reader;
  let failures = 0;
  const look = async (some: readonly OpenRow[], read: typeof readUpdated) => {
    reading.calls -= some.length;
    await forEachConcurrently(some, CONCURRENCY, async (row) => {
      try {
        outcomes.set(row.rowIndex, await read(reader, row));
      } catch (error) {
        failures += 1;
        if (!isTemporary(error) || failures > MOST_FAILURES) throw error;
      }
    });
  };
  if (kind === 'product-deletion') return look(rows, readDeleted);
  if (kind === 'product-update') return look(rows, readUpdated);
  if (creationOf(kind) === undefined) return;

  const named = rows.filter(({ sku }) => sku !== undefined);
  if (named.length < rows.length || rows.length >= LIST_FROM_ROWS) {
    // A list with more pages than rows costs more than reading each row.
    const mostPages = named.length < rows.length ? Math.max(reading.calls, named.length) : named.length;
    const catalog = reading.catalogs.get(store.storeClientId) ?? (await listCatalog(reader, mostPages));
    reading.catalogs.set(store.storeClientId, catalog);
    for (const row of rows) {
      const outcome = outcomeIn(catalog, row);
      if (outcome !== undefined) outcomes.set(row.rowIndex, outcome);
    }
  }
  const unseen = named.filter(({ rowIndex }) => !outcomes.has(rowIndex));
  await look(unseen, readBySku);
  const ofOthers = unseen.filter(({ rowIndex }) => outcomes.get(rowIndex) === 'unknown');
  if (ofOthers.length > 0) await lookInList(reader, ofOthers, outcomes);
}

/** Looks for products by externalId, after their SKU showed another product: SKUs are not unique. */
async function lookInList(
  reader: Reader,
  rows: readonly OpenRow[],
  outcomes: Map<number, RowOutcome>,
): Promise<void> {
  const { store, reading } = reader;
  const known = reading.catalogs.get(store.storeClientId);
  const catalog = known?.isWhole ? known : await listCatalog(reader, Math.max(reading.calls, rows.length));
  reading.catalogs.set(store.storeClientId, catalog);
  // If no product in the list has an externalId, the list does not show externalIds.
  if (catalog.externalIds.size === 0) return;
  for (const { rowIndex, externalId } of rows)
    outcomes.set(rowIndex, outcomeIn(catalog, { rowIndex, externalId }) ?? 'unknown');
}

/**
 * Lists a store's products (§4.11), archived products included. Stops early if more than `mostPages` pages would follow the first
 * one, or if a page can't be read.
 *
 * @throws {MarketplaceError} if the marketplace refuses the credentials.
 */
async function listCatalog(
  { marketplace, pageSize, store, reading }: Reader,
  mostPages: number,
): Promise<ListedCatalog> {
  const externalIds = new Set<string>();
  try {
    // §4.11 does not say whether the list without `isArchived` has archived products.
    for (const query of [{}, { isArchived: true }]) {
      const ids = new Set<string>();
      const totals = new Set<number>();
      let hasNext = true;
      for (let page = 1; hasNext; page += 1) {
        reading.calls -= 1;
        const asked = { ...query, page, limit: pageSize };
        const { data, pagination } = await marketplace.listProducts(store, asked, { signal: reading.signal });
        for (const { id, externalId } of data) {
          ids.add(id);
          if (typeof externalId === 'string') externalIds.add(externalId.toLowerCase());
        }
        totals.add(pagination.total);
        hasNext = pagination.hasNext && data.length > 0;
        if (hasNext && Math.max(page, pagination.totalPages - 1) > mostPages)
          return { externalIds, isWhole: false };
      }
      // If a product is added or deleted between two reads, other products may move to a page that was read already.
      if (totals.size > 1 || !totals.has(ids.size)) return { externalIds, isWhole: false };
    }
    return { externalIds, isWhole: true };
  } catch (error) {
    if (isTemporary(error)) return { externalIds, isWhole: false };
    throw error;
  }
}

/** The outcome that the list shows; `undefined` if it shows none. A missing row with a SKU is first read by its SKU. */
function outcomeIn(
  { externalIds, isWhole }: ListedCatalog,
  { externalId, sku }: OpenRow,
): RowOutcome | undefined {
  if (externalId === undefined) return undefined;
  if (externalIds.has(externalId)) return 'accepted';
  return isWhole && sku === undefined ? 'rejected' : undefined;
}

/** `unknown`: the product with this SKU has another externalId, or shows none. */
async function readBySku({ marketplace, store, reading }: Reader, row: OpenRow): Promise<RowOutcome> {
  const { signal } = reading;
  const found = await findProduct(marketplace, store, { sku: row.sku ?? '' }, { signal });
  if (found === undefined) return 'rejected';
  return isProductOf(row, found) ? 'accepted' : 'unknown';
}

async function readDeleted(reader: Reader, { id }: OpenRow): Promise<RowOutcome> {
  if (id === undefined) return 'unknown';
  return (await readById(reader, id)) === undefined ? 'accepted' : 'rejected';
}

async function readUpdated(reader: Reader, { id, changes }: OpenRow): Promise<RowOutcome> {
  if (id === undefined || changes === undefined) return 'unknown';
  const product = await readById(reader, id);
  if (product === undefined) return 'rejected';
  // Read this after the product: by then every update that the product may show is recorded.
  const comparable = await reader.comparableFields?.(reader.recordId);
  const { unset = Object.keys(changes), claimed = [] } = comparable ?? {};
  const left = Object.entries(changes).filter(([field]) => unset.includes(field));
  if (left.length === 0) return 'accepted';
  return showsChanges(product, Object.fromEntries(left.filter(([field]) => !claimed.includes(field))));
}

function readById({ marketplace, store, reading: { signal } }: Reader, id: string) {
  return findProduct(marketplace, store, { id }, { signal });
}

/** Whether the next read may succeed. It can't if the credentials are refused, or after a fault of the connector. */
function isTemporary(error: unknown): boolean {
  return error instanceof MarketplaceError && !error.code.startsWith('AUTH_');
}
