import * as z from 'zod';
import { baseString, signatureOf } from '../../../../sandbox/signing.ts';
import type { ReceivedWebhook } from '../../../../shared/marketplace/webhooks/verification.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { answer, type MarketplaceAnswer } from '../answers.ts';
import type { MarketplaceGate } from '../marketplace-gate.ts';
import type { PlannedStore } from './plan.ts';
import type { RowError, Rows } from './rows.ts';

const namedProduct = z.object({ externalId: z.string(), sku: z.string().optional() });

/** Longest duration of a sync, and of an ordinary final summary after it; milliseconds. */
const LONGEST_WORK_MS = 10_000;
const LONGEST_SUMMARY_MS = 5_000;
/** Delay of a late summary: past every deadline and its grace period. */
const VERY_LATE_MS = 1_500_000;
const SWEEP_INTERVAL_MS = 60_000;
const TRIES = 5;
const PAUSE_BETWEEN_TRIES_MS = 10_000;

/** How the receiver answered; `false` when it did not, or not with a 2xx. */
export type WebhookReceiver = (webhook: ReceivedWebhook, onAnswer: (isTaken: boolean) => void) => void;

/** An accepted sync at the marketplace. */
interface Sync {
  readonly batchId: string;
  readonly requestId: string;
  readonly store: PlannedStore;
  readonly rows: readonly unknown[];
  /** The purpose of the request. */
  readonly purpose: string;
}

interface SyncIds {
  readonly batchId: string;
  readonly requestId?: string | undefined;
}

interface SummaryBody {
  readonly event: string;
  readonly batchId?: string;
  readonly requestId?: string;
  readonly storeClientId: string;
  readonly summary: { readonly total: number; readonly failed: number; readonly pending: number };
  readonly errors: readonly ShownError[];
  readonly acceptedRows?: readonly ShownError[];
}

/** A row error as a summary shows it. */
interface ShownError {
  readonly rowIndex?: number | string | undefined;
  readonly externalId?: string | undefined;
  readonly details?: { readonly retryable?: boolean };
}

/** Catalog syncs: processed one after the other per store some time after acceptance, then reported by webhook. */
export class CatalogSyncs {
  receiver: WebhookReceiver = (_, onAnswer) => onAnswer(false);
  readonly #simulation: Simulation;
  readonly #rows: Rows;
  readonly #gate: MarketplaceGate;
  /** IDs of batches and requests with a false summary. */
  readonly #contradicted = new Set<string>();
  readonly #falseSummaries = new WeakSet<SummaryBody>();
  /** IDs of batches and requests whose true summary, with every row, was accepted. */
  readonly #trulyDelivered = new Set<string>();
  /** Row errors of the whole final summaries that were accepted, by the summary's IDs. */
  readonly #delivered = new Map<string, readonly ShownError[]>();
  /** Accepted syncs, by either ID. */
  readonly #syncs = new Map<string, Sync>();
  /** IDs of the accepted summaries that name each row. */
  readonly #namedWhole = new Set<string>();
  readonly #doneBy = new Map<PlannedStore, number>();
  #pending = 0;

  constructor(simulation: Simulation, rows: Rows, gate: MarketplaceGate) {
    this.#simulation = simulation;
    this.#rows = rows;
    this.#gate = gate;
  }

  /** Whether no sync is left to process or report. */
  get isIdle(): boolean {
    return this.#pending === 0;
  }

  isContradicted({ batchId, requestId = batchId }: SyncIds): boolean {
    return this.#contradicted.has(batchId) || this.#contradicted.has(requestId);
  }

  /** Whether the true final summary with every row has reached its receiver, before or after a false one. */
  isTrulyDelivered({ batchId, requestId = batchId }: SyncIds): boolean {
    return this.#trulyDelivered.has(batchId) || this.#trulyDelivered.has(requestId);
  }

  /** Whether a final summary with every row has reached its receiver. */
  isDelivered({ batchId, requestId = batchId }: SyncIds): boolean {
    return this.#delivered.has(batchId) || this.#delivered.has(requestId);
  }

  /** Whether a delivered summary says that the row may succeed later. */
  isRefusedForNow({ batchId, requestId = batchId }: SyncIds, row: ShownError): boolean {
    const errors = [batchId, requestId].flatMap((id) => this.#delivered.get(id) ?? []);
    return errors.some(
      ({ rowIndex, externalId, details }) =>
        details?.retryable === true &&
        (rowIndex === undefined ? externalId === row.externalId : Number(rowIndex) === row.rowIndex),
    );
  }

  /** The sync with this `batchId` or `requestId`. */
  syncOf(id: string): (Pick<Sync, 'store' | 'purpose'> & { readonly externalIds: string[] }) | undefined {
    const sync = this.#syncs.get(id);
    return sync && { ...sync, externalIds: sync.rows.map(externalIdOf) };
  }

  /** Whether a summary with this `batchId` or `requestId` has reached its receiver that names each row by its externalId. */
  isNamedWhole(id: string): boolean {
    return this.#namedWhole.has(id);
  }

  accept(store: PlannedStore, rows: readonly unknown[], purpose: string): MarketplaceAnswer {
    const { random, now } = this.#simulation;
    const number = this.#simulation.newId('sync');
    const sync: Sync = {
      batchId: `batch-of-${number}`,
      requestId: `request-of-${number}`,
      store,
      rows,
      purpose,
    };
    for (const id of [sync.batchId, sync.requestId]) this.#syncs.set(id, sync);
    const workMs = random.integer(0, random.pick([20, LONGEST_WORK_MS]));
    const doneAt = Math.max(this.#doneBy.get(store) ?? 0, now + workMs);
    this.#doneBy.set(store, doneAt);
    this.#after(doneAt - now, () => this.#do(sync));
    const { requestId, batchId } = this.#idsToShow(sync);
    const summary = { total: rows.length, failed: 0, pending: rows.length };
    const data = { summary, errors: [], ...(batchId !== undefined && { batchId }) };
    return answer(202, { success: true, ...(requestId !== undefined && { requestId }), data });
  }

  #idsToShow({ batchId, requestId }: Sync): Partial<Pick<Sync, 'batchId' | 'requestId'>> {
    const { faults } = this.#simulation;
    if (faults.strikes('answer without any ID')) return {};
    return faults.strikes('answer without batchId') ? { requestId } : { requestId, batchId };
  }

  #do(sync: Sync): void {
    const { faults, random } = this.#simulation;
    const errors = this.#rows.create(sync.store, sync.rows, sync.purpose);
    if (faults.strikes('summary never comes')) return;
    const lateMs = faults.strikes('summary comes very late') ? this.#drawLateMs() : 0;
    const summaryMs = lateMs > 0 ? lateMs : random.integer(0, random.pick([20, LONGEST_SUMMARY_MS]));
    const bodies = [this.#body(sync, errors)];
    if (faults.strikes('summary leaves rows pending')) bodies.unshift(this.#unfinishedBody(sync, errors));
    if (faults.strikes('summary comes twice')) bodies.push(this.#body(sync, errors));
    if (faults.strikes('summary contradicts')) bodies.push(this.#lie(sync));
    for (const body of bodies) {
      const extraMs = lateMs > 0 ? 0 : random.integer(0, random.pick([20, LONGEST_SUMMARY_MS]));
      this.#after(summaryMs + extraMs, () => this.#send(body, this.#gate.secretKey, 1));
    }
    if (lateMs > 0 && sync.rows.length > 1 && faults.strikes('summary contradicts')) {
      const lie = this.#lie(sync, random.integer(1, sync.rows.length - 1));
      this.#after(random.integer(0, random.pick([LONGEST_SUMMARY_MS, lateMs])), () =>
        this.#send(lie, this.#gate.secretKey, 1),
      );
    }
    if (faults.strikes('summary is forged')) {
      const lie = this.#body(sync, sync.rows.map(toRefusal));
      this.#after(random.integer(0, LONGEST_SUMMARY_MS), () => this.#send(lie, 'no-secret', TRIES));
    }
  }

  /** A summary that says that each row failed that it does not leave pending. */
  #lie(sync: Sync, rows = sync.rows.length): SummaryBody {
    this.#contradicted.add(sync.batchId).add(sync.requestId);
    const lie = this.#body(sync, sync.rows.slice(0, rows).map(toRefusal), sync.rows.length - rows);
    this.#falseSummaries.add(lie);
    return lie;
  }

  /** Often at the very moment at which the sweeper reads the batch. */
  #drawLateMs(): number {
    const { random, now } = this.#simulation;
    const lateMs = random.integer(0, VERY_LATE_MS);
    if (random.chance(0.5)) return lateMs;
    const sweptAt = Math.ceil((now + lateMs) / SWEEP_INTERVAL_MS) * SWEEP_INTERVAL_MS;
    return sweptAt - now + random.integer(-100, 400);
  }

  /** The final summary under one ID or both. */
  #body({ batchId, requestId, store, rows }: Sync, errors: readonly RowError[], pending = 0): SummaryBody {
    const { random } = this.#simulation;
    const ids = random.pick([{ batchId }, { requestId }, { batchId, requestId }]);
    const summary = { total: rows.length, failed: errors.length, pending };
    const { storeClientId } = store;
    const said = { event: 'catalog.sync.completed', ...ids, storeClientId, summary };
    const taken = acceptedRows(rows.slice(0, rows.length - pending), errors);
    const isNaming = taken.length > 0 && random.chance(0.5);
    return { ...said, errors: this.#show(errors), ...(isNaming && { acceptedRows: taken }) };
  }

  /** The failed rows as a summary shows them: sometimes their numbers as text, or none of them. */
  #show(errors: readonly RowError[]): readonly ShownError[] {
    const { faults } = this.#simulation;
    if (errors.length === 0) return errors;
    if (faults.strikes('failures counted without their rows')) return [];
    if (!faults.strikes('row numbers as text')) return errors;
    return errors.map(({ rowIndex, ...error }) => ({
      ...error,
      ...(rowIndex !== undefined && { rowIndex: String(rowIndex) }),
    }));
  }

  /** A summary that leaves some rows pending: all of them if an error does not say which row it is of. */
  #unfinishedBody(sync: Sync, errors: readonly RowError[]): SummaryBody {
    const some = this.#simulation.random.integer(1, sync.rows.length);
    const pending = errors.some(({ rowIndex }) => rowIndex === undefined) ? sync.rows.length : some;
    const known = errors.filter(({ rowIndex = sync.rows.length }) => rowIndex < sync.rows.length - pending);
    return this.#body(sync, known, pending);
  }

  #send(body: SummaryBody, secretKey: string, tryNumber: number): void {
    const rawBody = Buffer.from(JSON.stringify(body));
    const signed = {
      'x-partner-client-id': 'partner',
      'x-timestamp': String(Math.floor(this.#simulation.now)),
    };
    const request = { method: 'POST', path: '/webhooks/marketplace' };
    const base = baseString({ ...request, headers: signed, body: rawBody });
    const headers = { ...signed, 'x-signature': signatureOf(secretKey, base) };
    this.#simulation.note('marketplace', () => `sends the summary ${rawBody}`);
    this.#pending += 1;
    this.receiver({ ...request, headers, rawBody }, (isTaken) => {
      this.#pending -= 1;
      if (isTaken && secretKey === 'no-secret') this.#simulation.violate('P9: a forged summary was taken');
      const isWhole = body.summary.pending === 0 && body.errors.length === body.summary.failed;
      if (isTaken && isWhole) this.#noteTold(body);
      if (isTaken) this.#noteNames(body);
      if (isTaken || tryNumber >= TRIES) return;
      this.#after(PAUSE_BETWEEN_TRIES_MS, () => this.#send(body, secretKey, tryNumber + 1));
    });
  }

  #noteTold(body: SummaryBody): void {
    const { batchId, requestId, errors } = body;
    for (const id of [batchId, requestId]) {
      if (id === undefined) continue;
      this.#delivered.set(id, [...(this.#delivered.get(id) ?? []), ...errors]);
      if (!this.#falseSummaries.has(body)) this.#trulyDelivered.add(id);
    }
  }

  #noteNames({ batchId, requestId, summary, errors, acceptedRows: taken = [] }: SummaryBody): void {
    const named = [...taken, ...errors].filter(({ externalId }) => externalId !== undefined);
    if (named.length < summary.total) return;
    for (const id of [batchId, requestId]) if (id !== undefined) this.#namedWhole.add(id);
  }

  #after(ms: number, action: () => void): void {
    this.#pending += 1;
    this.#simulation.scheduler.after(ms, () => {
      this.#pending -= 1;
      action();
    });
  }
}

/** The rows without an error, as a summary lists them. */
function acceptedRows(rows: readonly unknown[], errors: readonly RowError[]): ShownError[] {
  return rows.flatMap((row, rowIndex) => {
    const { externalId, sku } = namedProduct.parse(row);
    const isRefused = errors.some((error) => error.rowIndex === rowIndex || error.externalId === externalId);
    return isRefused ? [] : [{ rowIndex, externalId, ...(sku !== undefined && { sku }) }];
  });
}

function externalIdOf(row: unknown): string {
  return namedProduct.parse(row).externalId.toLowerCase();
}

function toRefusal(_: unknown, rowIndex: number): RowError {
  return { code: 'VAL_001', message: 'not so', rowIndex, details: { retryable: false } };
}
