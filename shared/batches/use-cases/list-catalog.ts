import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { ProductQuery } from '../../marketplace/products.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import { isPassing } from '../rules/failed-read.ts';
import type { CallBudget } from './call-budget.ts';

export interface ListCatalogPorts {
  readonly marketplace: Pick<MarketplaceClient, 'listProducts'>;
  /** Products per page. */
  readonly pageSize: number;
}

/** What a store's list of products showed. */
export interface ListedCatalog {
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
export async function listCatalog(
  ports: ListCatalogPorts,
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
  { marketplace, pageSize }: ListCatalogPorts,
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
