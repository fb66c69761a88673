import type { TransportRequest } from '../../../shared/marketplace/transport.ts';
import type { Simulation } from '../engine/simulation.ts';
import { answer, fail, type MarketplaceAnswer, raw } from './answers.ts';
import {
  type CatalogStore,
  type CatalogTarget,
  FIRST_REFUSED_PRICE,
  findTarget,
  placeOf,
  stockPlaces,
} from './catalog.ts';
import { MarketplaceGate } from './marketplace-gate.ts';
import { readSentRows, rowNameOf, type SentRow, targetOfRow } from './sent-rows.ts';

export interface MarketplaceEvents {
  /** A row set a value. */
  onApplied(place: string, value: number | null): void;
  /** A batch was answered. */
  onBatch(batch: { batchId: string; rows: number; failed: number; isClear: boolean }): void;
}

interface RowError {
  readonly code: string;
  readonly message: string;
  readonly rowIndex?: number;
  readonly sku?: string | undefined;
  readonly id?: string | undefined;
  readonly externalId?: string | undefined;
  readonly details: { readonly retryable: boolean };
}

/** Parts of the marketplace that a scenario may replace. */
export interface MarketplaceParts {
  /** Values by place. Default: a new map. */
  readonly values?: Map<string, number | null>;
  /** Answers a read of products. Default: the marketplace has none of these endpoints. */
  readonly readProducts?: (store: CatalogStore, request: TransportRequest) => MarketplaceAnswer | undefined;
  /** Whether a product was removed. Default: none was. */
  readonly isRemoved?: (storeClientId: string, target: string) => boolean;
}

/** Price and stock of a recreated product, different from all values of the partner's events. */
const MADE_WITH = 700_000;

/** The code of a row whose upstream did not answer in time (§7): its value may be set later. */
const TOO_LATE = 'SYS_UPS_001';

/** Refusals of a whole request because of one row, which the answer does not name. */
const POISONED = [
  [400, 'VAL_001'],
  [404, 'INV_001'],
  [409, 'INV_003'],
  [404, 'PRD_016'],
  [413, undefined],
] as const;

/** The marketplace: accepts correct signatures, applies batches in the order of acceptance, and fails as in §7. */
export class SimulatedMarketplace {
  readonly values: Map<string, number | null>;
  /** The values as accepted rows set them: without false successes, lost values and edits by others, which no answer reports. */
  readonly accepted = new Map<string, number | null>();
  readonly gate: MarketplaceGate;
  readonly #simulation: Simulation;
  readonly #stores: ReadonlyMap<string, CatalogStore>;
  readonly #events: MarketplaceEvents;
  readonly #parts: MarketplaceParts;

  constructor(
    simulation: Simulation,
    stores: readonly CatalogStore[],
    events: MarketplaceEvents,
    parts: MarketplaceParts = {},
  ) {
    this.#parts = parts;
    this.values = parts.values ?? new Map();
    this.#simulation = simulation;
    this.gate = new MarketplaceGate(simulation, stores);
    this.#stores = new Map(stores.map((store) => [store.storeClientId, store]));
    this.#events = events;
  }

  handle(request: TransportRequest): MarketplaceAnswer {
    const refusal = this.gate.refuse(request);
    const store = this.#stores.get(request.headers['x-store-client-id'] ?? '');
    if (refusal !== undefined || store === undefined) return refusal ?? fail(403, 'AUTH_014');
    if (request.method === 'GET') {
      const read = this.#parts.readProducts?.(store, request);
      if (read !== undefined) return this.gate.disturb(() => read);
      const data = store.warehouses.map((clientId) => ({ id: clientId, clientId, warehouseName: clientId }));
      return this.gate.disturb(() => answer(200, { success: true, data }));
    }
    const rows = readSentRows(request.body);
    if (rows.some((row) => natureOf(store, row) === 'poison')) return this.#refuseAll();
    // Its rows must be unknown: that answer accepts none.
    const onBare = (batchId: string) =>
      this.#events.onBatch({ batchId, rows: rows.length, failed: rows.length, isClear: false });
    return this.gate.disturbBulk(() => this.#apply(store, rows), onBare);
  }

  /** Deletes a product and creates it again with other values. */
  recreate(store: CatalogStore, { target }: CatalogTarget): string[] {
    const places = ['price', ...stockPlaces(store)].map((name) => placeOf(store.storeClientId, target, name));
    for (const map of [this.values, this.accepted]) for (const place of places) map.set(place, MADE_WITH);
    const special = placeOf(store.storeClientId, target, 'specialPrice');
    this.values.delete(special);
    this.#simulation.note('marketplace', () => `${store.storeClientId} ${target} is made anew`);
    return [...places, special];
  }

  #refuseAll(): MarketplaceAnswer {
    const [status, code] = this.#simulation.random.pick(POISONED);
    return code === undefined
      ? { ...raw(status, 'no', 'text/plain'), isOutcomeKnown: true }
      : fail(status, code);
  }

  #apply(store: CatalogStore, rows: readonly SentRow[]): MarketplaceAnswer {
    const { faults } = this.#simulation;
    const errors: RowError[] = [];
    const late: SentRow[] = [];
    for (const [rowIndex, row] of rows.entries()) {
      const error = this.#refuseRow(store, row);
      if (error?.code === TOO_LATE) late.push(row);
      if (error === undefined) {
        this.#set(store, row, !faults.strikes('row accepted without effect'));
      } else errors.push(faults.strikes('row errors without rowIndex') ? error : { ...error, rowIndex });
    }
    const batchId = this.#simulation.newId('batch');
    const named = faults.strikes('answer without batchId') ? {} : { batchId };
    const { isClear, shown } = this.#show(errors, rows.length);
    this.#events.onBatch({ batchId, rows: rows.length, failed: errors.length, isClear });
    const counts = { total: rows.length, failed: errors.length, pending: rows.length - errors.length };
    // Of an answer that does not identify the failed rows, one thing alone shows that some row failed: the list of failures, their
    // count, or the denied success.
    const isDenied = !isClear && shown.length === 0 && this.#simulation.random.chance(0.5);
    const summary = isClear || (shown.length === 0 && !isDenied) ? counts : {};
    const data = { summary, acceptedRows: [], errors: shown, ...named };
    const lateEffect = () => {
      for (const row of late) this.#set(store, row, true);
    };
    return {
      ...answer(200, { success: !isDenied, requestId: batchId, data }),
      isOutcomeKnown: isClear,
      ...(late.length > 0 && { lateEffect }),
    };
  }

  /** The failed rows as the answer shows them, and whether the answer identifies them. */
  #show(errors: readonly RowError[], rows: number): { isClear: boolean; shown: readonly object[] } {
    const { faults } = this.#simulation;
    if (errors.length === 0) return { isClear: true, shown: [] };
    if (faults.strikes('failures counted without their rows')) return { isClear: false, shown: [] };
    if (faults.strikes('row numbers beyond the request')) {
      const shown = errors.map(({ code, message, rowIndex = 0 }) => ({
        code,
        message,
        rowIndex: rowIndex + rows,
      }));
      return { isClear: false, shown };
    }
    if (!faults.strikes('row numbers as text')) return { isClear: true, shown: errors };
    const shown = errors.map(({ rowIndex, ...error }) => ({
      ...error,
      ...(rowIndex !== undefined && { rowIndex: String(rowIndex) }),
    }));
    return { isClear: true, shown };
  }

  #refuseRow(store: CatalogStore, row: SentRow): RowError | undefined {
    const { price, warehouses = [] } = row;
    const refusal = (code: string, retryable = false) => ({
      code,
      message: code,
      ...rowNameOf(targetOfRow(row)),
      details: { retryable },
    });
    const target = findTarget(store, targetOfRow(row))?.target ?? '';
    const isRemoved = this.#parts.isRemoved?.(store.storeClientId, target) ?? false;
    if (isRemoved || natureOf(store, row) !== 'ordinary') return refusal(missingCodeOf(row));
    if (price !== undefined && price >= FIRST_REFUSED_PRICE) return refusal('VAL_001');
    if (warehouses.some(({ clientId }) => !store.warehouses.includes(clientId))) return refusal('VAL_001');
    const { faults } = this.#simulation;
    if (faults.strikes('row answered too late')) return refusal(TOO_LATE, true);
    return faults.strikes('row refused temporarily') ? refusal('ROW_BUSY', true) : undefined;
  }

  #set(store: CatalogStore, row: SentRow, hasEffect: boolean): void {
    const target = targetOfRow(row);
    const put = (name: string, value: number | null) => {
      const product = findTarget(store, target)?.target ?? '';
      const place = placeOf(store.storeClientId, product, name);
      this.accepted.set(place, value);
      if (!hasEffect) return;
      this.values.set(place, value);
      this.#simulation.note('marketplace', () => `${place} = ${value}`);
      this.#events.onApplied(place, value);
    };
    const { price, specialPrice, stock, warehouses = [] } = row;
    if (price !== undefined) put('price', price);
    if (specialPrice !== undefined) put('specialPrice', specialPrice);
    if (stock !== undefined) for (const place of stockPlaces(store)) put(place, stock);
    for (const warehouse of warehouses) put(`stock@${warehouse.clientId}`, warehouse.stock);
  }
}

/** The error for an unknown target. */
function missingCodeOf({ price, sku }: SentRow): string {
  if (price !== undefined) return 'PRD_016';
  return sku === undefined ? 'INV_002' : 'INV_001';
}

function natureOf(store: CatalogStore, row: SentRow) {
  return findTarget(store, targetOfRow(row))?.nature ?? 'unknown';
}
