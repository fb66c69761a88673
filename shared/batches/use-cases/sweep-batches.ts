import { ConnectorError } from '../../errors/connector-error.ts';
import { type OnFailure, setApart } from '../../errors/set-apart.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import {
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../stores/use-cases/for-connected-store.ts';
import type { BatchRecord } from '../model.ts';
import type { BatchTable, RequestArchive } from '../ports.ts';
import { type OpenRow, openRowsOf, type RowSighting, resolutionOf } from '../rules/read-back.ts';
import { withLook, withResolution } from '../rules/take-fact.ts';
import { announceBatch } from './announce-batch.ts';
import { type ReadBackRowsPorts, type Reading, readBackRows } from './read-back-rows.ts';
import { type RecordBatchPorts, takeEarlySummary } from './record-batch.ts';

export interface SweepBatchesPorts
  extends RecordBatchPorts,
    Omit<ForConnectedStorePorts, 'events'>,
    ReadBackRowsPorts {
  readonly batches: BatchTable;
  readonly requests: Pick<RequestArchive, 'get'>;
  readonly clock: { now(): number };
}

export interface SweepSettings {
  /** Reads of the marketplace after which a sweep takes up no further batch. */
  readonly callBudget: number;
  /** How long after the first look a batch that can not be read back stays open, in milliseconds. */
  readonly graceMs: number;
  /** Ends the sweep; what it has not come to is left to the next one. */
  readonly signal: AbortSignal;
  /** Called for each batch, or step, that the sweep failed at, or could not read; it goes on with the others. */
  readonly onFailure: OnFailure;
}

/** Batches that a sweep took up, by how they stood afterwards. */
export interface SweepReport {
  readonly resolved: number;
  readonly unresolved: number;
  /** Still open: for a later sweep. */
  readonly open: number;
}

const BATCHES_PER_PAGE = 25;

/**
 * Takes up the batches that are open past their deadline, the oldest first: by a final summary that was kept as
 * unmatched, or by reading their rows back within a budget of calls; what is still unknown after the grace ends
 * `unresolved`, with an event.
 */
export async function sweepBatches(ports: SweepBatchesPorts, settings: SweepSettings): Promise<SweepReport> {
  const budget = { calls: settings.callBudget, signal: settings.signal };
  const reading: Reading = { budget, catalogs: new Map() };
  const report = { resolved: 0, unresolved: 0, open: 0 };
  for await (const batchId of overdueBatches(ports, settings.onFailure)) {
    if (settings.signal.aborted || budget.calls <= 0) break;
    const settled = await setApart(settings.onFailure, () =>
      settleOverdue(ports, settings, batchId, reading),
    );
    if (settled?.state === 'submitted') report.open += 1;
    else if (settled?.state === 'unresolved') report.unresolved += 1;
    else if (settled !== undefined) report.resolved += 1;
  }
  return report;
}

/**
 * IDs of open batches past their deadline, as the index shows them: it may lag behind. `onFailure` is called for records
 * that can not be read.
 */
async function* overdueBatches(
  { batches, clock }: SweepBatchesPorts,
  onFailure: OnFailure,
): AsyncGenerator<string> {
  const now = new Date(clock.now()).toISOString();
  let cursor: string | undefined;
  do {
    const page = await batches.listOpen({ limit: BATCHES_PER_PAGE, cursor });
    for (const error of page.unreadable) onFailure(error);
    for (const { batchId, deadlineAt = now } of page.batches) if (deadlineAt <= now) yield batchId;
    // Later ones were submitted later: once none of a page is due, none after it is, but for the abandoned steps' own
    // batches, which come to the front with time. One that can not be read may be due.
    const mayGoOn =
      page.unreadable.length > 0 || page.batches.some(({ deadlineAt = now }) => deadlineAt <= now);
    cursor = mayGoOn ? page.cursor : undefined;
  } while (cursor !== undefined);
}

/** The batch as it stands afterwards; `undefined` when it ended meanwhile. */
async function settleOverdue(
  ports: SweepBatchesPorts,
  { graceMs }: SweepSettings,
  batchId: string,
  reading: Reading,
): Promise<BatchRecord | undefined> {
  const batch = await ports.batches.get(batchId);
  if (batch?.state !== 'submitted') return undefined;
  const known = await takeEarlySummary(ports, batch);
  if (known.state !== 'submitted') return known;
  const at = new Date(ports.clock.now()).toISOString();
  const endOfGrace = Date.parse(known.lookedAt ?? at) + graceMs;
  const record = await resolveBatch(ports, known, reading, { lastTry: ports.clock.now() >= endOfGrace });
  if (record.state !== 'submitted' || record.lookedAt !== undefined) return record;
  return (await ports.batches.update(batch.batchId, (current) => withLook(current, at))) ?? record;
}

/**
 * Resolves an open batch at its deadline by reading its rows back (design P3): what is there was accepted, what is not
 * was rejected. Rows that can not be read back leave the batch open for a later sweep, unless this is the `lastTry`,
 * which ends it as unresolved.
 *
 * @returns the batch as it then stands
 */
async function resolveBatch(
  ports: SweepBatchesPorts,
  batch: BatchRecord,
  reading: Reading,
  { lastTry }: { readonly lastTry: boolean },
): Promise<BatchRecord> {
  const { requestKey } = batch.submission ?? {};
  const sent = (requestKey === undefined ? undefined : await ports.requests.get(requestKey)) ?? [];
  const rows = openRowsOf(batch, sent);
  const sightings = new Map<number, RowSighting>();
  await readBack(ports, batch, rows, reading, sightings);
  const isSettled = rows.every(({ rowIndex }) => (sightings.get(rowIndex) ?? 'unknown') !== 'unknown');
  if (!isSettled && !lastTry) return batch;
  const resolvedAt = new Date(ports.clock.now()).toISOString();
  const resolution = resolutionOf(batch, rows, sightings, resolvedAt);
  const record = await ports.batches.update(batch.batchId, (current) => withResolution(current, resolution));
  if (record === undefined) throw new RangeError(`batch ${batch.batchId} is not stored`);
  await announceBatch(ports, record);
  return record;
}

/** As far as the marketplace and the store's state let it. */
async function readBack(
  ports: SweepBatchesPorts,
  { kind, storeClientId = '' }: BatchRecord,
  rows: readonly OpenRow[],
  reading: Reading,
  sightings: Map<number, RowSighting>,
): Promise<void> {
  try {
    await forConnectedStore(ports, storeClientId, (store) =>
      readBackRows(ports, { kind, store }, rows, reading, sightings),
    );
  } catch (error) {
    if (error instanceof MarketplaceError || isStoreNotConnected(error)) return;
    throw error;
  }
}

function isStoreNotConnected(error: unknown): boolean {
  return error instanceof ConnectorError && error.code === 'STORE_NOT_CONNECTED';
}

/** What ends a batch announces it at once, unless its function dies. Milliseconds. */
const LEFT_AFTER_MS = 5 * 60_000;
/**
 * Announces the batches whose state was recorded by a function that died before it could report it; see `announceBatch`.
 *
 * @param signal ends the work; what is left is left to the next sweep.
 * @param onFailure is called for each batch that could not be announced; the others are all the same.
 * @returns how many batches were announced.
 */
export async function announceLeftOver(
  ports: SweepBatchesPorts,
  { signal, onFailure }: { readonly signal: AbortSignal; readonly onFailure: OnFailure },
): Promise<number> {
  const dueBefore = new Date(ports.clock.now() - LEFT_AFTER_MS).toISOString();
  let announced = 0;
  let cursor: string | undefined;
  do {
    const page = await ports.batches.listUnannounced({ dueBefore, limit: BATCHES_PER_PAGE, cursor });
    for (const batchId of page.batchIds) {
      if (signal.aborted) return announced;
      if (await setApart(onFailure, () => announceLeft(ports, batchId))) announced += 1;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return announced;
}

async function announceLeft(ports: SweepBatchesPorts, batchId: string): Promise<boolean> {
  const batch = await ports.batches.get(batchId);
  if (batch === undefined) return false;
  await announceBatch(ports, batch);
  return true;
}
