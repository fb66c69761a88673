import type { BatchRecord } from '../../../shared/batches/model.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import type { Simulation } from '../engine/simulation.ts';

/** Probability and length (milliseconds) of a lag of a global index. */
const INDEX_LAGS = 0.3;
const MAX_LAG_MS = 600_000;

/** The Batches table, checked at every write (P3, P4): rows add up, and a terminal state never changes. */
export class WatchedBatches extends VersionedItems<BatchRecord> {
  readonly #simulation: Simulation;
  readonly #writes: { readonly at: number; readonly batch: BatchRecord }[] = [];

  constructor(simulation: Simulation) {
    super();
    this.#simulation = simulation;
    simulation.faults.force('global index lags', INDEX_LAGS);
  }

  override replace(key: string, value: BatchRecord, revision: number | undefined, writeId: object): boolean {
    const before = this.read(key)?.value;
    const isDone = super.replace(key, value, revision, writeId);
    const after = this.read(key)?.value;
    if (isDone && after !== undefined) {
      this.#writes.push({ at: this.#simulation.now, batch: after });
      this.#look(after, before);
    }
    return isDone;
  }

  /** The batches as a read of a global index returns them: as they are now, or as they were before. */
  readIndex(): BatchRecord[] {
    const { faults, random, now } = this.#simulation;
    if (!faults.strikes('global index lags')) return this.all();
    const asOf = now - random.integer(0, MAX_LAG_MS);
    const known = this.#writes
      .filter(({ at }) => at <= asOf)
      .map(({ batch }) => [batch.batchId, batch] as const);
    return [...new Map(known).values()];
  }

  #look(after: BatchRecord, before: BatchRecord | undefined): void {
    const { batchId, state, rows, summary, unknownRows = [], finalSummary } = after;
    if (rows.sent !== rows.accepted + rows.rejected + rows.unknown || summary.total !== rows.sent) {
      this.#simulation.violate(`P3: rows of ${batchId} do not add up: ${JSON.stringify({ rows, summary })}`);
    }
    // A summary that leaves rows pending does not say which.
    const isNamed =
      finalSummary === undefined ? unknownRows.length === rows.unknown : unknownRows.length >= rows.unknown;
    if (state === 'unresolved' && !isNamed) {
      this.#simulation.violate(`P3: ${batchId} names ${unknownRows.length} of ${rows.unknown} unknown rows`);
    }
    if ((state === 'completed' || state.startsWith('completed_') || state === 'failed') && rows.unknown > 0) {
      this.#simulation.violate(`P3: ${batchId} is ${state} with ${rows.unknown} unknown rows`);
    }
    if (before === undefined) return;
    const wasEnded = before.state.startsWith('completed') || before.state === 'failed';
    if (wasEnded && (state !== before.state || JSON.stringify(rows) !== JSON.stringify(before.rows))) {
      this.#simulation.violate(`P4: ${batchId} was ${before.state} and became ${state}`);
    }
    if (before.resolution === undefined) this.#lookAtResolution(after);
  }

  #lookAtResolution({ batchId, resolution, deadlineAt }: BatchRecord): void {
    if (resolution === undefined || deadlineAt === undefined) return;
    if (this.#simulation.now + 2 * this.#simulation.maxSkewMs >= Date.parse(deadlineAt)) return;
    this.#simulation.violate(`P3: ${batchId} was resolved before its deadline`);
  }
}
