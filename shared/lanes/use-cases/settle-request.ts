import type { RequestAttempt, Tries } from '../../attempts/model.ts';
import { answeredRows } from '../../batches/rules/answered-rows.ts';
import { recordSubmission } from '../../batches/use-cases/record-batch.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { Listing } from '../../listings/model.ts';
import type { PlannedUpdate } from '../../listings/ports.ts';
import { isForOneOfSeveral, type SentRow, type SentRowOutcome, settleRow } from '../../listings/rules/row.ts';
import { fieldsOfTarget, nameOfTarget, productKeyOf, targetOf } from '../../listings/rules/target.ts';
import { type BatchAnswer, mayBeApplied, type RowError } from '../../marketplace/batch.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import { mayBeOfRows, meaningOf, namesFault } from '../../marketplace/failures.ts';
import { type ReportedRow, rowOutcomes } from '../../marketplace/row-outcomes.ts';
import { countByCode } from '../../rejections/model.ts';
import { boundedText } from '../../rejections/rules/bounded.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import { attemptEndOf } from '../../requests/rules/attempts.ts';
import type { EpochMs } from '../../time/times.ts';
import {
  rejectionOfRow,
  retryable,
  sentRowOutcomeOf,
  unknownOutcome,
  versionsOf,
} from '../rules/read-outcome.ts';
import type { LaneContext } from './lane-context.ts';
import type { Refusal } from './lane-exit.ts';
import type { LaneRequest, OutgoingRow } from './pick-request.ts';

/** One bulk request with the time of its last signature. */
export interface SignedRequest {
  readonly request: LaneRequest;
  readonly attemptId: string;
  signedAt: EpochMs;
  /** Absent until the answer is known. */
  readonly batchId?: string;
}

/** Each row of the request has an outcome. */
interface Done {
  readonly verdict: 'done';
  readonly rejections: Readonly<Record<string, number>>;
}

/** What a failure means for the lane. */
type Failed =
  /** The rows are not sent again until the request can't land any more. */
  | { readonly verdict: 'unknown' }
  /** The whole request was refused because of a row. The rows are sent again in smaller requests. */
  | { readonly verdict: 'rows' }
  | Refusal;

/** The result of a request. */
export type SendResult =
  | Done
  | (Failed & { readonly attempt: RequestAttempt })
  /** Other rows must be sent first, the rows are held, or no permit was free. */
  | { readonly verdict: 'not-sent' };

/** Settles each row by the answer. */
export async function settleAnswer(
  context: LaneContext,
  signed: SignedRequest,
  answer: BatchAnswer,
): Promise<Done> {
  const { ports, settings, store } = context;
  const { request, attemptId } = signed;
  const now = ports.clock.now();
  const sent = request.rows.map(({ listing }) => listing);
  const unknownUntil = signed.signedAt + settings.attemptLifetimeMs;
  const names = sent.map(({ target }) => fieldsOfTarget(target));
  const reported = rowOutcomes(names, answer);
  const productIds = productIdsOf(sent, answer);
  const ends = reported.map((row, index): SettledRow => {
    const listing = sent[index] ?? { failures: 0 };
    const outcome = sentRowOutcomeOf(row, listing, { now, unknownUntil, random: ports.random });
    return { outcome, attempt: attemptOf(row, signed.signedAt), productId: productIds.get(index) };
  });
  const { rejectedRows, ...rows } = answeredRows(names, answer, reported);
  const { batchId } = await recordSubmission(ports, {
    batchId: answer.batchId ?? answer.requestId ?? attemptId,
    kind: request.kind,
    storeClientId: store.storeClientId,
    attemptId,
    submittedAt: new Date(now).toISOString(),
    signedAt: signed.signedAt,
    deadlineAt: new Date(now + settings.batchDeadlineMs).toISOString(),
    ...rows,
    rejectedRows: rejectedRows.map((row) => {
      const { registers } = request.rows[row.rowIndex ?? -1] ?? {};
      return registers === undefined ? row : { ...row, versions: versionsOf(registers) };
    }),
    endsBy: 'answer',
    ...definedOf({ requestId: answer.requestId, tries: triesOf(sent) }),
  });
  await settleRows(context, { ...signed, batchId }, ends);
  const rejected = ends.flatMap(({ outcome }) => (outcome.outcome === 'rejected' ? [outcome] : []));
  return { verdict: 'done', rejections: countByCode(rejected) };
}

/** The failed try of a row that is sent again; `undefined` for other rows. */
function attemptOf(row: ReportedRow<RowError>, signedAt: EpochMs): RequestAttempt | undefined {
  const at = new Date(signedAt).toISOString();
  if (row.outcome === 'unknown') return { at, outcome: 'unknown' };
  if (row.outcome !== 'rejected') return undefined;
  const { code, message = code } = row.error;
  const outcome = mayBeApplied(row.error) ? 'unknown' : 'refused';
  return { at, outcome, code, message: boundedText(message) };
}

/** The product's `id` for each row for which the answer has it (§4.8, 4.9). The `id` of a variant is not used. */
function productIdsOf(
  sent: readonly Listing[],
  { acceptedRows }: BatchAnswer,
): ReadonlyMap<number, string | undefined> {
  const named = acceptedRows.filter(({ rowIndex = -1, target, ...names }) => {
    const row = sent[rowIndex];
    if (target !== 'product' || row === undefined) return false;
    const name = nameOfTarget(row.target);
    return names[name] === undefined || targetOf({ [name]: names[name] }) === row.target;
  });
  return new Map(named.map(({ rowIndex = -1, id }) => [rowIndex, productKeyOf(id)]));
}

/** The tries of a request: one more than the failed tries of its most often tried row. */
function triesOf(sent: readonly Listing[]): Tries | undefined {
  const before = sent.flatMap(({ tries }) => tries ?? []).toSorted((a, b) => b.count - a.count);
  const [most] = before;
  return most && { ...most, count: most.count + 1 };
}

/** Settles the rows after a failed request. From then on the request is found by the ID in its answer. */
export async function settleFailure(
  context: LaneContext,
  signed: SignedRequest,
  error: MarketplaceError,
): Promise<SendResult> {
  const attempt = { at: new Date(signed.signedAt).toISOString(), ...attemptEndOf(error) };
  await noteFailed(context, signed, attempt);
  const result = await settleFailedRows(context, signed, error, attempt);
  return result.verdict === 'done' ? result : { ...result, attempt };
}

/** The record of a failed request names at most this many products. */
const MOST_TARGETS = 10;

/** Makes a failed request found by the marketplace's ID. A failure is ignored: sending does not need this record. */
async function noteFailed(
  { ports: { requests }, store: { storeClientId } }: LaneContext,
  { request: { kind, rows } }: SignedRequest,
  attempt: RequestAttempt,
): Promise<void> {
  if (attempt.requestId === undefined) return;
  const targets = rows.slice(0, MOST_TARGETS).map(({ listing }) => listing.target);
  const failed = { ...attempt, storeClientId, kind, rows: rows.length, targets };
  await requests.putAliases([{ id: attempt.requestId, failed }]).catch(() => undefined);
}

/** Settles the rows of a failed request. Only the row of a request with one row backs off: the other rows must not wait for it. */
async function settleFailedRows(
  context: LaneContext,
  signed: SignedRequest,
  error: MarketplaceError,
  attempt: RequestAttempt,
): Promise<Done | Failed> {
  const { clock, random } = context.ports;
  const verdict = meaningOf(error);
  const [row, ...others] = signed.request.rows;
  const alone = others.length === 0 ? row : undefined;
  if (verdict === 'unknown') {
    const notBefore = signed.signedAt + context.settings.attemptLifetimeMs;
    const outcome: SentRowOutcome = alone
      ? unknownOutcome(alone.listing, notBefore, random)
      : { outcome: 'unknown', notBefore };
    await settleRows(
      context,
      signed,
      signed.request.rows.map(() => ({ outcome, attempt })),
    );
    return { verdict };
  }
  const mayBeOfRow = verdict === 'rows' || (verdict === 'not-now' && mayBeOfRows(error));
  if (alone === undefined || !mayBeOfRow) return verdict === 'rows' ? { verdict } : { verdict, error };
  // Reject only for a fault with a code: a faulty marketplace that answers without one must not reject all values.
  if (verdict === 'rows' && namesFault(error)) return rejectRow(context, signed, alone, error);
  const outcome = retryable(alone.listing, clock.now(), random);
  await settleRows(context, signed, [{ outcome, attempt }]);
  return verdict === 'rows' ? { verdict: 'done', rejections: {} } : { verdict, error };
}

/** Rejects the only row of a request that was refused as a whole. */
async function rejectRow(
  context: LaneContext,
  signed: SignedRequest,
  row: LaneRequest['rows'][number],
  error: MarketplaceError,
): Promise<Done> {
  const outcome = { outcome: 'rejected', code: error.code } as const;
  // If the row has several values, each is sent alone next. A value is reported once it was refused alone.
  if (!isForOneOfSeveral(outcome, row))
    await reportRejections(context.ports, [rejectionOfRow(row, error, signed.signedAt)]);
  await settleRows(context, signed, [{ outcome }]);
  return { verdict: 'done', rejections: { [error.code]: 1 } };
}

/** What is known of a sent row. */
interface SettledRow extends Pick<SentRow, 'attempt' | 'productId'> {
  readonly outcome: SentRowOutcome;
}

/** Writes the outcome of each row into its listing. */
async function settleRows(
  { store, ports: { listings, clock } }: LaneContext,
  { request, signedAt, batchId }: SignedRequest,
  ends: readonly SettledRow[],
): Promise<void> {
  const rows: readonly OutgoingRow<unknown>[] = request.rows;
  // The same time for all rows, so that they fit into the same pages.
  const now = clock.now();
  const updates = rows.flatMap(({ listing, registers }, index): PlannedUpdate[] => {
    const end = ends[index];
    if (end === undefined) return [];
    const { outcome, ...facts } = end;
    const row = { registers, versionKind: listing.versionKind, signedAt, batchId, ...facts };
    const change: PlannedUpdate['change'] = (current) => current && settleRow(current, row, outcome, now);
    return [{ target: listing.target, known: listing, change }];
  });
  const prepared = await listings.prepare(updates);
  await forEachConcurrently(updates, AT_A_TIME, async ({ target, change, known }) => {
    await listings.update(store.storeClientId, target, change, known, prepared);
  });
}
