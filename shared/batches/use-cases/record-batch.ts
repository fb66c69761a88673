import { isDeepStrictEqual } from 'node:util';
import type { BatchRecord, FinalSummary, Submission } from '../model.ts';
import type { RecordBatchPorts } from '../ports.ts';
import { asMatched, isOfOtherStore, withFinalSummary, withSubmission } from '../rules/apply-fact.ts';
import { batchFrom } from '../rules/batch-record.ts';
import { announceBatch } from './announce-batch.ts';
import { batchOfRows, summariesOfRows } from './summaries-by-rows.ts';

/** What a summary's batch is found by. At least one of the two IDs is present. */
interface SummaryIds {
  readonly batchId?: string | undefined;
  readonly requestId?: string | undefined;
  /** The key of the summary's products (`rowsKeyOf`), if the summary names all of them. */
  readonly rowsKey?: string | undefined;
}

/**
 * Records a batch under the marketplace's `batchId` and publishes it. A final summary that came before the answer ends
 * the batch at once. If another request has the `batchId` already, the batch is recorded under its `attemptId`.
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
  // Batches of stock and prices end with their answer, so no summary looks for them. Only a person may look for the `requestId`.
  if (record.kind !== 'stock' && record.kind !== 'price') return takeEarlySummary(ports, record);
  const { requestId } = record;
  if (requestId !== undefined && requestId !== record.batchId)
    await ports.batches.link(requestId, record.batchId);
  return record;
}

/**
 * Adds a final summary to its batch. The batch is found by `batchId`, or by the `requestId` of any try, even a try that ended with
 * an error. Otherwise the batch is found by its products, if only one request was sent with them. If no batch is found, the summary
 * is stored as unmatched. A batch and a summary each write their own record before they look for the other's record, so whichever
 * is written second finds the first.
 */
export async function recordSummary(
  ports: RecordBatchPorts,
  ids: SummaryIds,
  finalSummary: FinalSummary,
): Promise<BatchRecord> {
  const { batchId, requestId } = ids;
  const named = batchId === undefined ? undefined : await ports.batches.get(batchId);
  const own = isReused(named, ids, finalSummary) ? { ...ids, batchId: undefined } : ids;
  const storedUnder = own.batchId ?? requestId;
  if (storedUnder === undefined) throw new RangeError('the summary names no batch');
  const known = await findBatch(ports, own, named);
  if (known !== undefined) {
    if (storedUnder !== known) await keepMatched(ports, storedUnder, known, finalSummary);
    return moveToBatch(ports, { from: storedUnder, to: known }, finalSummary);
  }
  const record = await addSummary(ports, storedUnder, finalSummary);
  // Link the request to this record: a batch whose answer has no batchId looks by requestId. An existing link stays.
  if (requestId !== undefined && requestId !== storedUnder)
    await ports.batches.relink(requestId, undefined, storedUnder);
  if (record.state !== 'unmatched' && record.state !== 'matched') return record;
  const to = (await findBatch(ports, own)) ?? (await batchOfRows(ports.batches, ids.rowsKey, storedUnder));
  return to === undefined ? record : moveToBatch(ports, { from: storedUnder, to }, finalSummary);
}

/**
 * Moves final summaries that came before the answer, under another ID, to their batch. Links each `requestId` of the request to
 * the batch, for later summaries. If an answer to the request was lost, summaries are also looked for by the products.
 */
export async function takeEarlySummary(ports: RecordBatchPorts, batch: BatchRecord): Promise<BatchRecord> {
  const { batchId, requestId, submission } = batch;
  let taken = batch;
  for (const id of [requestId, ...(submission?.triedRequestIds ?? [])])
    if (id !== undefined) taken = (await takeByRequest(ports, id, { to: batchId })) ?? taken;
  for (const id of await summariesOfRows(ports.batches, batch)) {
    const early = await ports.batches.get(id);
    const [first] = summariesOf(early);
    if (first !== undefined) taken = await moveToBatch(ports, { from: id, to: batchId }, first);
  }
  return taken;
}

/**
 * Adds a summary to its batch, together with all summaries under the same ID and all summaries of the same request. Summaries of one
 * request may be stored under two IDs, after a crash or because of the order in which they came. `from` is moved last: after a crash
 * before that it is still unmatched, and is found again.
 */
async function moveToBatch(
  ports: RecordBatchPorts,
  { from, to }: { from: string; to: string },
  finalSummary: FinalSummary,
): Promise<BatchRecord> {
  const stored = [finalSummary, ...(from === to ? [] : summariesOf(await ports.batches.get(from)))];
  for (const requestId of new Set(stored.flatMap((one) => one.requestId ?? [])))
    await takeByRequest(ports, requestId, { to, except: from });
  return moveSummaries(ports, { from, to }, finalSummary);
}

/**
 * Links a request to its batch. Moves the summaries that are stored under the `requestId`, or under the record that the request was
 * linked to. A summary that comes meanwhile is stored and linked before it looks for its batch. So it is found here, or it finds
 * the batch.
 */
async function takeByRequest(
  ports: RecordBatchPorts,
  requestId: string,
  { to, except }: { readonly to: string; readonly except?: string | undefined },
): Promise<BatchRecord | undefined> {
  const moveStored = async (from: string | undefined) => {
    if (from === undefined || from === to || from === except) return undefined;
    const [first] = summariesOf(await ports.batches.get(from));
    return first && moveSummaries(ports, { from, to }, first);
  };
  const linked = await ports.batches.linkedTo(requestId);
  const taken = await moveStored(linked);
  if (requestId === to) return taken;
  const isLinked = linked === to || (await ports.batches.relink(requestId, linked, to));
  if (!isLinked) return takeByRequest(ports, requestId, { to, except });
  return (await moveStored(requestId)) ?? taken;
}

/** Changes a batch. Throws RangeError if the result is no record. */
export async function updateBatch(
  { batches }: RecordBatchPorts,
  batchId: string,
  change: (current: BatchRecord | undefined) => BatchRecord | undefined,
): Promise<BatchRecord> {
  const record = await batches.update(batchId, change);
  if (record === undefined) throw new RangeError(`batch ${batchId} is not stored`);
  return record;
}

/** Whether the `batchId` belongs to a batch of another store. If so, only the `requestId` identifies the summary's batch. */
function isReused(
  named: BatchRecord | undefined,
  { requestId }: SummaryIds,
  finalSummary: FinalSummary,
): boolean {
  if (named === undefined || requestId === undefined || named.requestId === requestId) return false;
  return isOfOtherStore(named, finalSummary);
}

/**
 * The batch of a summary. The marketplace may reuse a `batchId` or a `requestId`: a batch that has both comes first, then the
 * request's link.
 *
 * @param read the record with the `batchId`, if it was read already.
 */
async function findBatch(
  { batches }: RecordBatchPorts,
  { batchId, requestId }: SummaryIds,
  read?: BatchRecord,
): Promise<string | undefined> {
  const named = batchId === undefined ? undefined : (read ?? (await batches.get(batchId)));
  if (named?.submission !== undefined && named.requestId === requestId) return batchId;
  const linked = requestId === undefined ? undefined : await batches.linkedTo(requestId);
  for (const id of [linked, batchId, requestId]) {
    if (id === undefined) continue;
    const found = id === batchId ? named : await batches.get(id);
    if (found?.submission !== undefined) return id;
    if (found?.matchedTo !== undefined) return found.matchedTo;
  }
  return undefined;
}

/**
 * Stores a summary's ID as another ID of batch `to`, unless a record has this ID. A later summary may name only this ID. Or another
 * delivery of this summary has not found the batch: it may store the summary under this ID, and then crash.
 */
async function keepMatched(
  { batches }: RecordBatchPorts,
  id: string,
  to: string,
  finalSummary: FinalSummary,
): Promise<void> {
  await batches.update(id, (current) =>
    current === undefined ? asMatched(batchFrom(id, { finalSummary }), to) : undefined,
  );
}

/** Adds a summary to batch `to`, with all unmatched summaries under `from`. */
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
  // Another summary came in meanwhile.
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
