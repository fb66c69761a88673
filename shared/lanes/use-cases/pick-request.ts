import type { Listing, Registers } from '../../listings/model.ts';
import type { ListingTable } from '../../listings/ports.ts';
import { needsStoreWarehouses, renderPriceRow, renderStockRow } from '../../listings/rules/render-row.ts';
import { nextStep, type Priority, priorities } from '../../listings/rules/waiting.ts';
import type { StockItem } from '../../marketplace/inventory.ts';
import type { PriceItem } from '../../marketplace/prices.ts';

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
  readonly listings: Pick<ListingTable, 'waiting'>;
  /** Settles registers that need no row, because newer ones stand in their place everywhere. */
  readonly settleUnsent: (listing: Listing, registers: Registers) => Promise<void>;
}

export interface PickQuery {
  readonly storeClientId: string;
  /** Epoch ms. */
  readonly now: number;
  readonly itemsPerRequest: number;
  /** Targets in flight: none of them leaves again before it is known what became of it. */
  readonly busy: ReadonlySet<string>;
  /** Groups of targets that were refused together with others, and must not share a request with any. */
  readonly apart: readonly ReadonlySet<string>[];
  /** Whether the guard holds the store's prices back. */
  readonly pricesHeld: boolean;
  /** Client IDs of the store's warehouses; `undefined` while they are not known. */
  readonly warehouses: readonly string[] | undefined;
}

/** In the order of leaving; raises behind a held price have its priority, and are held with it. */
export function leavingPriorities(pricesHeld: boolean): Priority[] {
  return pricesHeld
    ? [priorities.zeroStock, priorities.stock]
    : [priorities.zeroStock, priorities.price, priorities.stock];
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
    const request = await pickOfPriority(ports, pick, priority);
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
    if ((await dueListings(listings, { ...pick, itemsPerRequest: 1 }, priority)).length > 0) return true;
  }
  return false;
}

async function pickOfPriority(
  ports: PickPorts,
  pick: PickQuery,
  priority: Priority,
): Promise<LaneRequest | 'warehouses-needed' | undefined> {
  const listings = keepApart(await dueListings(ports.listings, pick, priority), pick.apart);
  if (listings.length === 0) return undefined;
  if (priority === priorities.price) {
    return { kind: 'price', rows: listings.map((listing) => ({ listing, ...renderPriceRow(listing) })) };
  }
  const rows = await renderStock(ports, listings, pick.warehouses);
  if (rows === 'warehouses-needed') return rows;
  return rows.length > 0 ? { kind: 'stock', rows } : pickOfPriority(ports, pick, priority);
}

async function dueListings(
  table: PickPorts['listings'],
  { storeClientId, now, itemsPerRequest, busy }: Omit<PickQuery, 'apart' | 'warehouses' | 'pricesHeld'>,
  priority: Priority,
): Promise<Listing[]> {
  const due: Listing[] = [];
  let after: string | undefined;
  do {
    const page = await table.waiting(storeClientId, {
      priority,
      dueBy: now,
      limit: itemsPerRequest + busy.size,
      ...(after === undefined ? {} : { after }),
    });
    due.push(...page.listings.filter((listing) => !isBusy(listing, busy)));
    after = page.next;
  } while (due.length < itemsPerRequest && after !== undefined);
  return due.slice(0, itemsPerRequest);
}

/** One product is not in two requests under two of its names either. */
function isBusy({ target, aliases = [] }: Listing, busy: ReadonlySet<string>): boolean {
  return busy.has(target) || aliases.some((alias) => busy.has(alias));
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
  warehouses: PickQuery['warehouses'],
): Promise<OutgoingRow<StockItem>[] | 'warehouses-needed'> {
  const steps = listings.flatMap((listing) => {
    const step = nextStep(listing);
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
