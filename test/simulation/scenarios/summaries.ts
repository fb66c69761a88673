import type {
  BatchRecord,
  Contradiction,
  FinalSummary,
  ReceivedSummary,
  Submission,
} from '../../../shared/batches/model.ts';
import { receivedSummarySchema } from '../../../shared/batches/model.ts';
import {
  type ProcessSummaryPorts,
  processSummary,
} from '../../../shared/batches/use-cases/process-summary.ts';
import { recordSubmission } from '../../../shared/batches/use-cases/record-batch.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { inMemoryBatchTable } from '../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemorySummaryArchive } from '../../doubles/in-memory-summary-archive.ts';
import { WatchedBatches } from '../checks/watched-batches.ts';
import type { Simulation } from '../engine/simulation.ts';
import { Invoker } from '../world/invoker.ts';
import { MessageQueue } from '../world/message-queue.ts';

const TROUBLE_MS = 60_000;
const DRAINED_WITHIN_MS = 3_600_000;
const LOOK_INTERVAL_MS = 5_000;
const TIMEOUT_MS = 60_000;

/** A catalog sync as the marketplace knows it. */
interface Sync {
  /** Its answer rejected its last rows. An answer without `batchId` is recorded under its `requestId`. */
  readonly submission: Submission;
  readonly batchId: string;
  /** Whether its summaries leave out the rows that the answer rejected. */
  readonly leavesOut: boolean;
  /** How many other rows failed: the first ones. */
  readonly failed: number;
  /** How many of the failed rows are refused temporarily. */
  readonly refusedForNow: number;
  /** How its summaries show the failed rows: by number, by number as text, or not at all (`counts as text`: neither). */
  readonly shows: 'numbers' | 'text' | 'nothing' | 'counts as text' | 'beyond the request';
  /** Whether another, contradicting summary says that every row failed. */
  readonly isContradicted: boolean;
  /** Whether a summary of another store's batch with the same ID says that every row failed. */
  readonly hasNamesake: boolean;
  /** Whether its final summary is sent at all. */
  readonly isSummarized: boolean;
}

/**
 * Catalog syncs and their final summaries (P3, P4). The record of the answer and the summary come in any order; the summary
 * comes under either ID, early, late, twice or never. Each batch ends in one state, the same in every order.
 *
 * @returns the number of syncs
 */
export async function runSummaries(simulation: Simulation): Promise<number> {
  const { random, scheduler, faults } = simulation;
  const world = new SummaryWorld(simulation);
  const syncs = Array.from({ length: random.integer(1, 6) }, (_, index) => drawSync(simulation, index));
  for (const sync of syncs) schedule(world, sync);

  const endOfTrouble = simulation.now + TROUBLE_MS;
  let isOver = false;
  scheduler.after(TROUBLE_MS, () => faults.stop());
  const look = () => {
    isOver = simulation.now > endOfTrouble && world.isIdle;
    if (simulation.now > endOfTrouble + DRAINED_WITHIN_MS) simulation.violate('P2: a summary waits for ever');
    scheduler.after(LOOK_INTERVAL_MS, look);
  };
  look();
  await scheduler.run(() => isOver || simulation.violation !== undefined);
  for (const sync of syncs) {
    const record = world.batches.read(sync.submission.batchId)?.value;
    for (const id of [sync.batchId, sync.submission.requestId ?? ''])
      checkReached(simulation, world.batches.read(id)?.value, record);
    if (sync.isContradicted && sync.isSummarized) checkContradicted(simulation, sync, world.events, record);
    else checkSync(simulation, sync, record);
  }
  return syncs.length;
}

/** Sends the answer of a sync and its summaries to their recorders, in any order. */
function schedule({ simulation, answers, summaries, objects }: SummaryWorld, sync: Sync): void {
  const { random, scheduler, now } = simulation;
  const startMs = random.integer(0, TROUBLE_MS / 2);
  scheduler.after(startMs, () => answers.send(JSON.stringify(sync.submission)));
  if (!sync.isSummarized) return;
  for (const body of summaryBodies(simulation, sync)) {
    const archiveKey = simulation.newId('summary');
    objects.set(archiveKey, Buffer.from(JSON.stringify(body)));
    const received: ReceivedSummary = { archiveKey, receivedAt: new Date(now).toISOString() };
    const offsetMs = random.pick([random.integer(-300, 300), random.integer(-20_000, 20_000)]);
    scheduler.after(startMs + offsetMs, () => summaries.send(JSON.stringify(received)));
  }
}

/** The recorders of answers and summaries over one table, each fed by a queue. */
class SummaryWorld {
  readonly simulation: Simulation;
  readonly batches: WatchedBatches;
  readonly objects = new Map<string, Uint8Array>();
  readonly events: OutgoingEvent[] = [];
  readonly answers: MessageQueue;
  readonly summaries: MessageQueue;
  readonly #links = new Map<string, string>();
  readonly #invoker: Invoker;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    this.batches = new WatchedBatches(simulation);
    this.#invoker = new Invoker(simulation);
    this.answers = this.#queue('answers', async (ports, body) => {
      await recordSubmission(ports, JSON.parse(body));
    });
    this.summaries = this.#queue('summaries', async (ports, body) => {
      await processSummary(ports, receivedSummarySchema.parse(JSON.parse(body)));
    });
  }

  get isIdle(): boolean {
    return this.#invoker.isIdle && this.answers.isEmpty && this.summaries.isEmpty;
  }

  #queue(name: string, run: (ports: ProcessSummaryPorts, body: string) => Promise<void>): MessageQueue {
    return new MessageQueue(this.simulation, {
      name,
      batchSize: 1,
      concurrency: 4,
      visibilityTimeoutMs: TIMEOUT_MS,
      deliver: ([message], done) =>
        this.#invoker.invoke({
          name,
          timeoutMs: TIMEOUT_MS,
          run: async ({ step }) => {
            const ports = {
              batches: inMemoryBatchTable(step, this.batches, this.#links),
              events: inMemoryEventPublisher(step, this.events),
              rejections: inMemoryRejectionTable(step),
              archive: inMemorySummaryArchive(step, this.objects),
            };
            await run(ports, message?.body ?? '');
            done([]);
          },
          onFailed: () => done(message === undefined ? [] : [message.messageId]),
        }),
    });
  }
}

function drawSync({ random, now }: Simulation, index: number): Sync {
  const sentRows = random.integer(1, 5);
  const refused = random.chance(0.5) ? 0 : random.integer(0, sentRows);
  const failed = random.integer(0, sentRows - refused);
  const at = new Date(now).toISOString();
  const [batchId, requestId] = [`batch-${index}`, `request-${index}`];
  const isAnswerWithBatchId = random.chance(0.8);
  const submission: Submission = {
    batchId: isAnswerWithBatchId ? batchId : requestId,
    requestId,
    kind: 'catalog-sync',
    storeClientId: 'store-0',
    attemptId: `attempt-${index}`,
    submittedAt: at,
    deadlineAt: at,
    sentRows,
    rejectedRows: Array.from({ length: refused }, (_, row) => refusalOf(sentRows - 1 - row)),
    endsBy: 'summary',
    uncertain: random.chance(0.3),
  };
  const isContradicted = failed < sentRows - refused && submission.uncertain === false && random.chance(0.3);
  return {
    submission,
    batchId,
    leavesOut: random.chance(0.5),
    failed,
    refusedForNow: random.integer(0, failed),
    shows: random.pick(['numbers', 'numbers', 'text', 'nothing', 'counts as text', 'beyond the request']),
    isContradicted,
    hasNamesake: isAnswerWithBatchId && !isContradicted && random.chance(0.2),
    isSummarized: random.chance(0.85),
  };
}

/**
 * The final summary under one ID or both, sometimes again under another, and a contradicting one. At least one names both where
 * the answer had no `batchId`.
 */
function summaryBodies({ random }: Simulation, sync: Sync): object[] {
  const { batchId, submission } = sync;
  const { requestId, sentRows, storeClientId, rejectedRows } = submission;
  const both = { batchId, requestId };
  const ids = [{ batchId }, { requestId }, both];
  const bodyOf = (total: number, failed: number, errors: readonly object[]) => {
    const summary = { total, failed, pending: 0 };
    const shown = sync.shows === 'counts as text' ? asText(summary) : summary;
    return { ...random.pick(ids), storeClientId, summary: shown, errors };
  };
  const before = sync.leavesOut ? [] : rejectedRows;
  const truth = () => {
    const total = sync.leavesOut ? sentRows - rejectedRows.length : sentRows;
    return bodyOf(total, sync.failed + before.length, [...shownErrors(sync), ...before]);
  };
  const bodies: object[] = Array.from({ length: random.integer(1, 3) }, truth);
  if (submission.batchId !== batchId) bodies[0] = { ...bodies[0], ...both };
  if (!sync.isContradicted && !sync.hasNamesake) return bodies;
  const every = Array.from({ length: sentRows }, (_, rowIndex) => refusalOf(rowIndex));
  const lie = bodyOf(sentRows, sentRows, every);
  return [...bodies, sync.hasNamesake ? { ...lie, batchId, storeClientId: 'store-1' } : lie];
}

function refusalOf(rowIndex: number) {
  return { rowIndex, code: 'REFUSED', message: 'no' };
}

function asText(counts: Record<string, number>): object {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)]));
}

function shownErrors({ failed, refusedForNow, shows, submission: { sentRows } }: Sync): object[] {
  if (shows === 'nothing' || shows === 'counts as text') return [];
  return Array.from({ length: failed }, (_, row) => {
    const rowIndex = { numbers: row, text: String(row), 'beyond the request': row + sentRows }[shows];
    return { rowIndex, code: 'VAL_001', message: 'no', details: { retryable: row < refusedForNow } };
  });
}

/** Whether its summaries give the outcome of each row. */
function isClear({ failed, shows }: Sync): boolean {
  return failed === 0 || shows === 'numbers' || shows === 'text';
}

/**
 * What a summary says is in the record of its batch. It may be left unmatched beside that: by a delivery that ends after another
 * one of its message was done.
 */
function checkReached(simulation: Simulation, summary?: BatchRecord, batch?: BatchRecord): void {
  if (summary?.state !== 'unmatched') return;
  const said = (one?: FinalSummary | Contradiction) =>
    JSON.stringify([one?.storeClientId, one?.summary, one?.rejectedRows]);
  const known = [batch?.finalSummary, ...(batch?.contradictions ?? [])].map(said);
  for (const one of [summary.finalSummary, ...(summary.contradictions ?? [])])
    if (!known.includes(said(one)))
      simulation.violate(`P4: the summary ${summary.batchId} is matched to no batch`);
}

/** The first summary ends the batch; if both would end it, the other one is stored and reported. */
function checkContradicted(
  simulation: Simulation,
  sync: Sync,
  events: readonly OutgoingEvent[],
  record?: BatchRecord,
): void {
  const { batchId, sentRows, rejectedRows } = sync.submission;
  const truth = isClear(sync) ? sync.failed + rejectedRows.length : sentRows;
  const { rows, contradictions = [] } = record ?? {};
  const isEnded = rows?.unknown === 0 && (rows.rejected === truth || rows.rejected === sentRows);
  if (!isEnded) simulation.violate(`P4: ${batchId} ended as ${JSON.stringify(rows)}`);
  if (!isClear(sync)) return;
  const reports = events.filter(
    ({ detailType, detail }) =>
      detailType === 'summary.contradicted' && 'batchId' in detail && detail.batchId === batchId,
  );
  if (contradictions.length !== 1 || reports.length === 0) {
    simulation.violate(
      `P4: ${batchId} keeps ${contradictions.length} contradictions, and ${reports.length} are reported`,
    );
  }
}

/** A temporarily refused row stays unknown if another try may have created it. */
function checkSync(simulation: Simulation, sync: Sync, record?: BatchRecord): void {
  const { submission, failed, refusedForNow } = sync;
  const isSummarized = sync.isSummarized && isClear(sync);
  const { batchId, sentRows, uncertain, rejectedRows } = submission;
  const open = sentRows - rejectedRows.length;
  const unknown = !isSummarized ? open : uncertain ? refusedForNow : 0;
  const rejected = rejectedRows.length + (isSummarized ? failed - (uncertain ? refusedForNow : 0) : 0);
  const rows = { sent: sentRows, accepted: sentRows - rejected - unknown, rejected, unknown };
  const ended = rejected === 0 ? 'completed' : rejected === sentRows ? 'failed' : 'completed_with_errors';
  const expected = { state: unknown > 0 ? 'submitted' : ended, rows };
  const found = record && { state: record.state, rows: record.rows };
  const hasNamesake = sync.hasNamesake && sync.isSummarized;
  if ((record?.contradictions?.length ?? 0) !== Number(hasNamesake))
    simulation.violate(
      `P4: ${batchId} does not keep exactly the summaries of another store as contradictions`,
    );
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  simulation.violate(
    `P4: ${batchId} ended as ${JSON.stringify(found)} and not as ${JSON.stringify(expected)}`,
  );
}
