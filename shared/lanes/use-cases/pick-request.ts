import type { Listing, Registers } from '../../listings/model.ts';
import type { ListingTable } from '../../listings/ports.ts';
import { needsStoreWarehouses, renderPriceRow, renderStockRow } from '../../listings/rules/render-row.ts';
import { isNamedAs, type TargetName } from '../../listings/rules/target.ts';
import { nextStep, type Priority, priorities } from '../../listings/rules/waiting.ts';
import type { StockItem } from '../../marketplace/inventory.ts';
import type { PriceItem } from '../../marketplace/prices.ts';
import type { ApartGroups } from '../rules/apart.ts';

/** A row on its way out: the listing it was rendered from, and the register versions that its outcome settles. */
export interface OutgoingRow<Row> {
  readonly listing: Listing;
  readonly registers: Registers;
  readonly row: Row;
}

/** The rows of one bulk request. */
export type LaneRequest =
  | { readonly kind: 'stock'; readonly rows: readonly OutgoingRow<StockItem>[] }
  | { readonly kind: 'price'; readonly rows: readonly OutgoingRow<PriceItem>[] };

export interface PickPorts {
  readonly listings: Pick<ListingTable, 'waiting' | 'remove'>;
  /** Settles registers that need no row, because newer ones stand in their place everywhere. */
  readonly settleUnsent: (listing: Listing, registers: Registers) => Promise<void>;
}

export interface PickQuery {
  readonly storeClientId: string;
  /** By which name the store's products go. */
  readonly products: TargetName;
  /** Epoch ms. */
  readonly now: number;
  readonly itemsPerRequest: number;
  /** Targets in flight: none of them leaves again before it is known what became of it. */
  readonly busy: ReadonlySet<string>;
  readonly apart: ApartGroups;
  /** Whether the guard holds the store's prices back. */
  readonly pricesHeld: boolean;
  /** Client IDs of the store's warehouses; `undefined` while they are not known. */
  readonly warehouses: readonly string[] | undefined;
}

/** In the order of leaving; raises behind a held price have its priority, and are held with it. */
export function leavingPriorities(pricesHeld: boolean): Priority[] {
  const { zeroStock, price, priceOverLowered, stock } = priorities;
  return pricesHeld ? [zeroStock, priceOverLowered, stock] : [zeroStock, price, priceOverLowered, stock];
}

/**
 * Picks what leaves next: everything due of the first priority that has anything, up to `itemsPerRequest`.
 * `undefined` when nothing is due; `warehouses-needed` when the store's warehouses must be known first.
 */
export async function pickRequest(
  ports: PickPorts,
  pick: PickQuery,
): Promise<LaneRequest | 'warehouses-needed' | undefined> {
  for (const priority of leavingPriorities(pick.pricesHeld)) {
    const due = await dueListings(ports.listings, pick, priority);
    const request = await requestOf(ports, pick, priority, due);
    if (request !== undefined) return request;
  }
  return undefined;
}

/** Whether `pickRequest` would find anything. */
export async function isAnythingDue(
  listings: PickPorts['listings'],
  pick: Omit<PickQuery, 'itemsPerRequest'>,
): Promise<boolean> {
  for (const priority of leavingPriorities(pick.pricesHeld)) {
    const due = await dueListings(listings, { ...pick, itemsPerRequest: 1 }, priority);
    if (due.length > 0) return true;
  }
  return false;
}

/** Whether a zero may leave that is not on its way: `pickRequest` would choose a request of zeros. */
export async function isZeroDue(
  listings: PickPorts['listings'],
  pick: Pick<PickQuery, 'storeClientId' | 'products' | 'now' | 'busy'>,
): Promise<boolean> {
  const due = await dueListings(listings, { ...pick, itemsPerRequest: 1 }, priorities.zeroStock);
  return due.length > 0;
}

async function requestOf(
  ports: PickPorts,
  pick: PickQuery,
  priority: Priority,
  due: readonly Listing[],
): Promise<LaneRequest | 'warehouses-needed' | undefined> {
  const listings = keepApart(due, pick.apart);
  if (listings.length === 0) return undefined;
  const isOfPrices = priority === priorities.price || priority === priorities.priceOverLowered;
  if (isOfPrices && !pick.pricesHeld) {
    return { kind: 'price', rows: listings.map((listing) => ({ listing, ...renderPriceRow(listing) })) };
  }
  const rows = await renderStock(ports, listings, pick);
  if (rows === 'warehouses-needed') return rows;
  if (rows.length > 0) return { kind: 'stock', rows };
  const more = await dueListings(ports.listings, pick, priority);
  return requestOf(ports, pick, priority, more);
}

/**
 * Listings of one priority that may leave. One by another name than the store's was written while that changed, and its
 * message is redelivered: it is removed.
 */
async function dueListings(
  table: PickPorts['listings'],
  {
    storeClientId,
    products,
    now,
    itemsPerRequest,
    busy,
  }: Omit<PickQuery, 'apart' | 'warehouses' | 'pricesHeld'>,
  priority: Priority,
): Promise<readonly Listing[]> {
  const due: Listing[] = [];
  let after: string | undefined;
  do {
    const page = await table.waiting(storeClientId, {
      priority,
      dueBy: now,
      limit: itemsPerRequest + busy.size,
      ...(after === undefined ? {} : { after }),
    });
    const isOwn = (listing: Listing) => isNamedAs(products, listing);
    for (const { target } of page.listings.filter((listing) => !isOwn(listing))) {
      await table.remove(storeClientId, target);
    }
    due.push(...page.listings.filter((listing) => isOwn(listing) && !busy.has(listing.target)));
    after = page.next;
  } while (due.length < itemsPerRequest && after !== undefined);
  return due.slice(0, itemsPerRequest);
}

/** The listings that may share a request with the first of them. */
function keepApart(listings: readonly Listing[], apart: PickQuery['apart']): readonly Listing[] {
  const groupOf = (listing: Listing | undefined) =>
    listing && apart.find((group) => group.has(listing.target));
  const group = groupOf(listings[0]);
  return listings.filter((listing) => groupOf(listing) === group);
}

async function renderStock(
  ports: PickPorts,
  listings: readonly Listing[],
  { warehouses, pricesHeld }: Pick<PickQuery, 'warehouses' | 'pricesHeld'>,
): Promise<OutgoingRow<StockItem>[] | 'warehouses-needed'> {
  const steps = listings.flatMap((listing) => {
    const step = nextStep(listing, { pricesHeld });
    return step === undefined ? [] : [{ listing, step }];
  });
  const needed = steps.some(({ listing, step }) => needsStoreWarehouses(listing, step));
  if (needed && warehouses === undefined) return 'warehouses-needed';
  const outgoing: OutgoingRow<StockItem>[] = [];
  for (const { listing, step } of steps) {
    const { row, registers } = renderStockRow(listing, step, warehouses ?? []);
    if (row === undefined) await ports.settleUnsent(listing, registers);
    else outgoing.push({ listing, registers, row });
  }
  return outgoing;
}
