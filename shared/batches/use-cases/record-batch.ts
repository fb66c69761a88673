import { isDeepStrictEqual } from 'node:util';
import { definedOf } from '../../collections/defined-of.ts';
import { packAll } from '../../collections/packer.ts';
import type { EventPublisher } from '../../events/outgoing.ts';
import { MAX_REJECTED_ROWS_PER_EVENT, type OutgoingEvent } from '../../events/outgoing.ts';
import type { BatchRecord, Contradiction, FinalSummary, Submission } from '../model.ts';
import type { BatchTable } from '../ports.ts';
import {
  type Announcement,
  dueAnnouncements,
  isEnded,
  rejectionsToReport,
  unreported,
} from '../rules/batch-record.ts';
import { asMatched, withFinalSummary, withSubmission } from '../rules/take-fact.ts';

export interface AnnounceBatchPorts {
  readonly batches: Pick<BatchTable, 'update'>;
  readonly events: EventPublisher;
  /** Does what follows from the end of a batch elsewhere, before it is reported; may be called again for the same end. */
  readonly onEnd?: (batch: BatchRecord) => Promise<void>;
}

export interface RecordBatchPorts extends AnnounceBatchPorts {
  readonly batches: Pick<BatchTable, 'get' | 'update' | 'link' | 'linkedTo'>;
}

/** The IDs that a final summary names; at least one. */
interface SummaryIds {
  readonly batchId?: string | undefined;
  readonly requestId?: string | undefined;
}

/** EventBridge takes 1 MB. */
const EVENT_LIMITS = { maxItems: MAX_REJECTED_ROWS_PER_EVENT, maxBytes: 800_000 };

/**
 * Records what the answer to an ASYNC call began, under the marketplace's `batchId`, and reports it. A final summary that
 * came before its answer ends the batch at once. If another request has the `batchId` already,
 * the batch is recorded under its attempt's ID.
 */
export async function recordSubmission(
  ports: RecordBatchPorts,
  submission: Submission,
): Promise<BatchRecord> {
  const { batchId, attemptId } = submission;
  const record = await updateBatch(ports, batchId, (current) => withSubmission(current, submission));
  if (record.attemptId !== attemptId && batchId !== attemptId) {
    return recordSubmission(ports, { ...submission, batchId: attemptId });
  }
  await announceBatch(ports, record);
  // No summary names the request of stock or prices alone: their batches end with their answer.
  return record.kind === 'stock' || record.kind === 'price' ? record : takeEarlySummary(ports, record);
}

/**
 * Brings a final summary to its batch, by the `batchId` or the `requestId` that it names, and keeps it as unmatched where
 * there is none yet. Whichever of batch and summary comes second finds the other, as each first writes its own record and
 * then looks for the other's.
 */
export async function recordSummary(
  ports: RecordBatchPorts,
  ids: SummaryIds,
  finalSummary: FinalSummary,
): Promise<BatchRecord> {
  const { batchId, requestId } = ids;
  const keptUnder = batchId ?? requestId;
  if (keptUnder === undefined) throw new RangeError('the summary names no batch');
  const known = await findBatch(ports, ids);
  // Also for a summary that is redelivered: a crash may have left it unmatched as well.
  if (known !== undefined) return moveSummaries(ports, { from: keptUnder, to: known }, finalSummary);
  const record = await addSummary(ports, keptUnder, finalSummary);
  // For a batch stored under its requestId, because its answer named nothing else.
  if (requestId !== undefined && requestId !== keptUnder) await ports.batches.link(requestId, keptUnder);
  const appeared = record.state === 'unmatched' ? await findBatch(ports, ids) : undefined;
  return appeared === undefined
    ? record
    : moveSummaries(ports, { from: keptUnder, to: appeared }, finalSummary);
}

/**
 * Takes the final summaries of a batch that came before its answer, under another ID than the answer gave the batch; later
 * ones find the batch by the link that this leaves.
 */
export async function takeEarlySummary(ports: RecordBatchPorts, batch: BatchRecord): Promise<BatchRecord> {
  const { batchId, requestId } = batch;
  if (requestId === undefined) return batch;
  const goesByRequest = requestId === batchId;
  if (!goesByRequest) await ports.batches.link(requestId, batchId);
  const keptUnder = goesByRequest ? await ports.batches.linkedTo(requestId) : requestId;
  const early = keptUnder === undefined ? undefined : await ports.batches.get(keptUnder);
  const [first] = summariesOf(early);
  if (early === undefined || first === undefined) return batch;
  return moveSummaries(ports, { from: early.batchId, to: batchId }, first);
}

/** Changes a batch that has a record by then. */
export async function updateBatch(
  { batches }: AnnounceBatchPorts,
  batchId: string,
  change: (current: BatchRecord | undefined) => BatchRecord | undefined,
): Promise<BatchRecord> {
  const record = await batches.update(batchId, change);
  if (record === undefined) throw new RangeError(`batch ${batchId} is not stored`);
  return record;
}

/** The request's own link counts first: a marketplace may use a `batchId` again. */
async function findBatch(
  { batches }: RecordBatchPorts,
  { batchId, requestId }: SummaryIds,
): Promise<string | undefined> {
  const linked = requestId === undefined ? undefined : await batches.linkedTo(requestId);
  for (const id of [linked, batchId, requestId]) {
    if (id !== undefined && (await batches.get(id))?.submission !== undefined) return id;
  }
  return undefined;
}

/** Brings a summary to batch `to`, with all that are kept as unmatched under `from`. */
async function moveSummaries(
  ports: RecordBatchPorts,
  { from, to }: { from: string; to: string },
  finalSummary: FinalSummary,
): Promise<BatchRecord> {
  const kept = from === to ? undefined : await ports.batches.get(from);
  for (const summary of summariesOf(kept)) await addSummary(ports, to, summary);
  const record = await addSummary(ports, to, finalSummary);
  if (kept?.state !== 'unmatched') return record;
  const left = await ports.batches.update(from, (current) =>
    isDeepStrictEqual(current, kept) ? asMatched(kept, to) : undefined,
  );
  // Another one came in meanwhile.
  return left?.state === 'unmatched' ? moveSummaries(ports, { from, to }, finalSummary) : record;
}

function summariesOf(batch: BatchRecord | undefined): FinalSummary[] {
  const isWithoutBatch = batch?.state === 'unmatched' || batch?.state === 'discarded';
  if (!isWithoutBatch || batch.finalSummary === undefined) return [];
  return [batch.finalSummary, ...(batch.contradictions ?? [])];
}

async function addSummary(ports: RecordBatchPorts, batchId: string, finalSummary: FinalSummary) {
  const record = await updateBatch(ports, batchId, (current) =>
    withFinalSummary(batchId, current, finalSummary),
  );
  await announceBatch(ports, record);
  return record;
}

/**
 * Publishes the events that a batch's state calls for and notes that they are published; what a crash left out is made up
 * for when the batch is next touched, at the latest by the sweeper. An event may come twice, never not at all.
 */
export async function announceBatch(ports: AnnounceBatchPorts, batch: BatchRecord): Promise<void> {
  const due = dueAnnouncements(batch);
  const contradictions = unreported(batch);
  if (due.length === 0 && contradictions.length === 0) return;
  if (due.some((announcement) => announcement !== 'batch.submitted')) await ports.onEnd?.(batch);
  await ports.events.publish(eventsOf(batch, due, contradictions));
  const digests = new Set(contradictions.map(({ digest }) => digest));
  await ports.batches.update(batch.batchId, (current) => {
    if (current === undefined) return undefined;
    // A summary that came meanwhile may have left other rows unknown than were reported.
    const isCurrent = isDeepStrictEqual(current.rows, batch.rows);
    const reported = due.filter((event) => isCurrent || event !== 'batch.unresolved');
    const kept = current.contradictions?.map((one) =>
      digests.has(one.digest) ? { ...one, isReported: true } : one,
    );
    return {
      ...current,
      announced: [...new Set([...current.announced, ...reported])],
      ...(kept && { contradictions: kept }),
    };
  });
}

function eventsOf(
  batch: BatchRecord,
  due: readonly Announcement[],
  contradictions: readonly Contradiction[],
): OutgoingEvent[] {
  const { batchId, kind, storeClientId, requestId, commandId, commandIds, state, rows, summary } = batch;
  if (kind === undefined || storeClientId === undefined) return [];
  const ids = { storeClientId, batchId, ...definedOf({ requestId, commandId, commandIds }) };
  const standing = { ...ids, kind, rows, summary };
  const events: OutgoingEvent[] = [];
  for (const detailType of due) {
    if (detailType !== 'batch.completed') events.push({ detailType, detail: standing });
    else if (isEnded(state)) events.push({ detailType, detail: { ...standing, state } });
    const rejections = detailType === 'batch.submitted' ? [] : rejectionsToReport(batch);
    for (const part of packAll(rejections, EVENT_LIMITS)) {
      events.push({ detailType: 'rows.rejected', detail: { ...ids, rows: part } });
    }
  }
  for (const { receivedAt, summary, rejectedRows, archiveKey } of contradictions) {
    if (!isEnded(state)) break;
    const said = { receivedAt, summary, rejectedRows, archiveKey };
    events.push({ detailType: 'summary.contradicted', detail: { ...ids, kind, state, rows, said } });
  }
  return events;
}
