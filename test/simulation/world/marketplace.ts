import type { TransportRequest, TransportResponse } from '../../../shared/marketplace/transport.ts';
import { baseString, signatureOf, signedHeadersOf } from '../../sandbox/signing.ts';
import type { Simulation } from '../engine/simulation.ts';
import { type CatalogStore, FIRST_REFUSED_PRICE, placeOf, stockPlaces } from './catalog.ts';
import { readSentRows, type SentRow, targetOfRow } from './sent-rows.ts';

/** Seconds by which a timestamp may be off (§8). */
const TIMESTAMP_TOLERANCE_MS = 300_000;

/** An answer, and whether its reader can know from it what was done. */
export interface MarketplaceAnswer {
  readonly response: TransportResponse;
  readonly isOutcomeKnown: boolean;
  /** What is still to be done although the answer says otherwise. */
  readonly lateEffect?: () => void;
}

export interface MarketplaceEvents {
  /** A value was set. */
  onApplied(place: string, value: number | null): void;
  /** A batch was answered for. */
  onBatch(batch: { batchId: string; rows: number; failed: number }): void;
}

interface RowError {
  readonly code: string;
  readonly message: string;
  readonly rowIndex?: number;
  readonly sku: string;
  readonly details: { readonly retryable: boolean };
}

/** The marketplace: takes what is signed right, applies batches in the order of acceptance, and fails as §7 has it. */
export class SimulatedMarketplace {
  readonly values = new Map<string, number | null>();
  /** What its clock is ahead of the true time, in milliseconds. */
  clockOffsetMs = 0;
  secretKey = 'secret-1';
  readonly blocked = new Set<string>();
  readonly #simulation: Simulation;
  readonly #stores: ReadonlyMap<string, CatalogStore>;
  readonly #events: MarketplaceEvents;

  constructor(simulation: Simulation, stores: readonly CatalogStore[], events: MarketplaceEvents) {
    this.#simulation = simulation;
    this.#stores = new Map(stores.map((store) => [store.storeClientId, store]));
    this.#events = events;
  }

  handle(request: TransportRequest): MarketplaceAnswer {
    const store = this.#stores.get(request.headers['x-store-client-id'] ?? '');
    const refusal = this.#authenticate(request, store);
    if (refusal !== undefined) return refusal;
    if (store === undefined) return fail(403, 'AUTH_014');
    if (request.method === 'GET') {
      const data = store.warehouses.map((clientId) => ({ id: clientId, clientId, warehouseName: clientId }));
      return this.#disturb(() => answer(200, { success: true, data }));
    }
    const rows = readSentRows(request.body);
    if (rows.some((row) => natureOf(store, row) === 'poison')) return fail(400, 'VAL_001');
    return this.#disturb(() => this.#apply(store, rows));
  }

  #authenticate(request: TransportRequest, store: CatalogStore | undefined): MarketplaceAnswer | undefined {
    const { method, url, headers, body = new Uint8Array() } = request;
    const now = this.#simulation.now + this.clockOffsetMs;
    if (Math.abs(Number(headers['x-timestamp']) - now) > TIMESTAMP_TOLERANCE_MS) {
      return fail(401, 'AUTH_003', { currentTime: Math.floor(now) });
    }
    const signed = {
      method,
      path: new URL(url).pathname,
      headers: signedHeadersOf((name) => headers[name]),
      body,
    };
    if (signatureOf(this.secretKey, baseString(signed)) !== headers['x-signature'])
      return fail(401, 'AUTH_010');
    const isRight = store !== undefined && headers['x-store-token'] === store.storeToken;
    return isRight && !this.blocked.has(store.storeClientId) ? undefined : fail(403, 'AUTH_014');
  }

  /** Fails before or after the effect, as the seed has it. */
  #disturb(effect: () => MarketplaceAnswer): MarketplaceAnswer {
    const { faults, random } = this.#simulation;
    if (faults.strikes('429 with Retry-After')) {
      return fail(429, 'RATE_LIMITED', {}, { 'retry-after': String(random.integer(1, 5)) });
    }
    if (faults.strikes('503 SYS_DEP_503')) return fail(503, 'SYS_DEP_503');
    if (faults.strikes('504 SYS_UPS_001 before the effect')) {
      return { ...fail(504, 'SYS_UPS_001'), isOutcomeKnown: false, lateEffect: effect };
    }
    const done = effect();
    if (faults.strikes('504 SYS_UPS_001 after the effect')) {
      return { ...fail(504, 'SYS_UPS_001'), isOutcomeKnown: false };
    }
    if (faults.strikes('500 without an envelope')) return raw(500, 'oops', 'text/plain');
    return faults.strikes('answer is not JSON') ? raw(200, '{"success":', 'application/json') : done;
  }

  #apply(store: CatalogStore, rows: readonly SentRow[]): MarketplaceAnswer {
    const { faults } = this.#simulation;
    const errors: RowError[] = [];
    for (const [rowIndex, row] of rows.entries()) {
      const error = this.#refuseRow(store, row);
      if (error === undefined) this.#set(store, row);
      else errors.push(faults.strikes('row errors without rowIndex') ? error : { ...error, rowIndex });
    }
    const batchId = this.#simulation.newId('batch');
    const named = faults.strikes('answer without batchId') ? {} : { batchId };
    this.#events.onBatch({ batchId, rows: rows.length, failed: errors.length });
    const summary = { total: rows.length, failed: errors.length, pending: rows.length - errors.length };
    return answer(200, {
      success: true,
      requestId: batchId,
      data: { summary, acceptedRows: [], errors, ...named },
    });
  }

  #refuseRow(store: CatalogStore, row: SentRow): RowError | undefined {
    const { sku, price, warehouses = [] } = row;
    const refusal = (code: string, retryable = false) => ({
      code,
      message: code,
      sku,
      details: { retryable },
    });
    if (natureOf(store, row) !== 'ordinary') return refusal(price === undefined ? 'INV_001' : 'PRD_016');
    if (price !== undefined && price >= FIRST_REFUSED_PRICE) return refusal('VAL_001');
    if (warehouses.some(({ clientId }) => !store.warehouses.includes(clientId))) return refusal('VAL_001');
    return this.#simulation.faults.strikes('row refused for now') ? refusal('ROW_BUSY', true) : undefined;
  }

  #set(store: CatalogStore, row: SentRow): void {
    const put = (name: string, value: number | null) => {
      const place = placeOf(store.storeClientId, targetOfRow(row), name);
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

function natureOf(store: CatalogStore, row: SentRow) {
  return store.targets.find(({ target }) => target === targetOfRow(row))?.nature ?? 'unknown';
}

function answer(status: number, body: object, headers: Record<string, string> = {}): MarketplaceAnswer {
  return { ...raw(status, JSON.stringify(body), 'application/json', headers), isOutcomeKnown: true };
}

function fail(
  status: number,
  code: string,
  context: object = {},
  headers: Record<string, string> = {},
): MarketplaceAnswer {
  return answer(status, { error: { code, message: code, details: { context } } }, headers);
}

function raw(
  status: number,
  text: string,
  contentType: string,
  headers: Record<string, string> = {},
): MarketplaceAnswer {
  return {
    response: { status, headers: { 'content-type': contentType, ...headers }, body: Buffer.from(text) },
    isOutcomeKnown: false,
  };
}
