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
  /** Client IDs of the store's warehouses. */
  readonly storeWarehouses: () => Promise<readonly string[]>;
}

/**
 * Picks what leaves next: everything due of the first priority that has anything, up to `itemsPerRequest`, leaving out
 * the targets in `busy`, which are in flight. `undefined` when nothing is due.
 */
export async function pickRequest(
  ports: PickPorts,
  pick: { storeClientId: string; now: number; itemsPerRequest: number; busy: ReadonlySet<string> },
): Promise<LaneRequest | undefined> {
  for (const priority of [priorities.zeroStock, priorities.price, priorities.stock]) {
    const request = await pickOfPriority(ports, pick, priority);
    if (request !== undefined) return request;
  }
  return undefined;
}

async function pickOfPriority(
  ports: PickPorts,
  pick: Parameters<typeof pickRequest>[1],
  priority: Priority,
): Promise<LaneRequest | undefined> {
  const listings = await dueListings(ports.listings, pick, priority);
  if (listings.length === 0) return undefined;
  if (priority === priorities.price) {
    return { kind: 'price', rows: listings.map((listing) => ({ listing, ...renderPriceRow(listing) })) };
  }
  const rows = await renderStock(ports, listings);
  return rows.length > 0 ? { kind: 'stock', rows } : pickOfPriority(ports, pick, priority);
}

async function dueListings(
  table: PickPorts['listings'],
  { storeClientId, now, itemsPerRequest, busy }: Parameters<typeof pickRequest>[1],
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
    due.push(...page.listings.filter(({ target }) => !busy.has(target)));
    after = page.next;
  } while (due.length < itemsPerRequest && after !== undefined);
  return due.slice(0, itemsPerRequest);
}

async function renderStock(
  ports: PickPorts,
  listings: readonly Listing[],
): Promise<OutgoingRow<StockItem>[]> {
  const steps = listings.flatMap((listing) => {
    const step = nextStep(listing);
    return step === undefined ? [] : [{ listing, step }];
  });
  const needed = steps.some(({ listing, step }) => needsStoreWarehouses(listing, step));
  const warehouses = needed ? await ports.storeWarehouses() : [];
  const outgoing: OutgoingRow<StockItem>[] = [];
  for (const { listing, step } of steps) {
    const { row, registers } = renderStockRow(listing, step, warehouses);
    if (row === undefined) await ports.settleUnsent(listing, registers);
    else outgoing.push({ listing, registers, row });
  }
  return outgoing;
}
