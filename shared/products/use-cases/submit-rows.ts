import type { Submission } from '../../batches/model.ts';
import { answeredRows } from '../../batches/rules/report.ts';
import type { CommandStep, StepOutcome } from '../../commands/model.ts';
import { outOfTime, type RequestTime } from '../../commands/request-time.ts';
import { answered, commandsOf, divided, refused } from '../../commands/rules/steps.ts';
import { reportRefused } from '../../commands/use-cases/report-refused.ts';
import { endStep, type RunStepPorts, runStep } from '../../commands/use-cases/run-step.ts';
import { type SendAgainPorts, sendAgain } from '../../commands/use-cases/send-again.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { ReportRejectionsPorts } from '../../rejections/use-cases/report-rejections.ts';
import type { Store } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { doubtWarehouses } from '../../stores/use-cases/store-warehouses.ts';
import type { Clock } from '../../time/clock.ts';
import type { ProductCalls } from '../ports.ts';
import { identifiersOf } from '../rules/identifiers.ts';
import { faultOfRefusal, isAboutRows, isAboutWarehouses } from '../rules/refusal.ts';
import { rejectionOfRow } from '../rules/row-rejection.ts';
import { type BulkRequest, halvesOf, stepOf } from './bulk-requests.ts';
import { type FinishStepPorts, finishStep } from './finish-step.ts';

export interface SubmitRowsPorts
  extends FinishStepPorts,
    ReportRejectionsPorts,
    RunStepPorts,
    SendAgainPorts {
  readonly clock: Clock;
  readonly calls: ProductCalls;
  readonly stores: Pick<StoreTable, 'putWarehouses'>;
  /** How long a batch may stay open, in milliseconds. */
  readonly batchDeadlineMs: number;
}

/** A request, the store that it is for, and the time of the invocation that it is made in. */
export interface RowsToSubmit extends BulkRequest {
  readonly store: Store;
  readonly time: RequestTime;
}

/**
 * Sends rows as one request and records the batch that it begins. Rows that the marketplace refuses as a whole are
 * halved, down to the ones at fault, which are rejected by themselves.
 *
 * @returns the number of requests that began a batch.
 * @throws {ConnectorError} OUT_OF_TIME when there is no time left to begin a request.
 * @throws {MarketplaceError} when the rows are to be sent again later, or the store's credentials are refused.
 */
export async function submitRows(ports: SubmitRowsPorts, request: RowsToSubmit): Promise<number> {
  const { time, pack } = request;
  if (time.isOver) throw outOfTime(pack.packId);
  const end = await sendRows(ports, request).catch((error) => settleRefusal(ports, request, error));
  if (typeof end === 'object') return submitHalves(ports, request, end.divided);
  return end === 'answered' ? 1 : 0;
}

/**
 * - `answered`: the request began a batch;
 * - `ended`: it was answered before, or its one row is rejected;
 * - `divided`: it was refused as a whole, now or before, and its rows go on in two halves.
 */
type RequestEnd = 'answered' | 'ended' | { readonly divided: CommandStep };

async function sendRows(ports: SubmitRowsPorts, request: RowsToSubmit): Promise<RequestEnd> {
  const { store, operation, rows, time } = request;
  const products = rows.map(({ product }) => product);
  let divided: CommandStep | undefined;
  const isAnswered = await sendAgain(ports, () =>
    runStep(ports, stepOf(request), {
      send: (options) => {
        time.gotOn();
        return operation.send(ports.calls, store, products, options);
      },
      settle: (answer, step) => recordAnswer(ports, request, step, answer),
      finish: async (step) => {
        if (step.state === 'divided') divided = step;
        else await finishStep(ports, step, products);
      },
    }),
  );
  if (isAnswered) return 'answered';
  return divided === undefined ? 'ended' : { divided };
}

/** Throws an error that says nothing about the rows. */
async function settleRefusal(
  ports: SubmitRowsPorts,
  request: RowsToSubmit,
  error: unknown,
): Promise<RequestEnd> {
  if (!(error instanceof MarketplaceError) || !isAboutRows(error)) throw error;
  const { key } = stepOf(request);
  if (request.rows.length === 1) return rejectRow(ports, request, key, error);
  const step = await ports.commands.update(key, (current) => divided(current));
  return step?.state === 'divided' ? { divided: step } : 'ended';
}

/** Keeps the answer in the step, as one write, before anything is made of it: a crash after that loses nothing of it. */
async function recordAnswer(
  ports: SubmitRowsPorts,
  request: RowsToSubmit,
  step: CommandStep,
  answer: BatchAnswer,
): Promise<StepOutcome> {
  const submission = submissionOf(ports, request, step, answer);
  const kept = await ports.commands.update(step.commandId, (current) => answered(current, submission));
  if (kept === undefined) throw new RangeError(`step ${step.commandId} is not stored`);
  if (submission.rejectedRows.some(isAboutWarehouses)) await doubtWarehouses(ports, request.store);
  await finishStep(
    ports,
    kept,
    request.rows.map(({ product }) => product),
  );
  return { batchId: kept.answer?.batchId ?? kept.batchId };
}

function submissionOf(
  { clock, batchDeadlineMs }: SubmitRowsPorts,
  { pack, operation, rows }: RowsToSubmit,
  { attemptId, request: sent }: CommandStep,
  answer: BatchAnswer,
): Submission {
  const now = clock.now();
  const names = rows.map(({ product }) => identifiersOf(product));
  return {
    // No summary can name a batch whose answer gave no ID: it ends at its deadline, under our own.
    batchId: answer.batchId ?? answer.requestId ?? attemptId,
    ...(answer.requestId !== undefined && { requestId: answer.requestId }),
    kind: operation.kind,
    storeClientId: pack.storeClientId,
    attemptId,
    ...(sent && commandsOf(sent)),
    submittedAt: new Date(now).toISOString(),
    deadlineAt: new Date(now + batchDeadlineMs).toISOString(),
    ...answeredRows(names, answer),
    names,
    endsBy: operation.endsBy,
    ...(sent && { requestKey: sent.requestKey }),
    ...(pack.retryOf !== undefined && { retryOf: pack.retryOf }),
  };
}

/** Rejects the one row that was refused by itself. */
async function rejectRow(
  ports: SubmitRowsPorts,
  { rows, store }: RowsToSubmit,
  key: string,
  error: MarketplaceError,
): Promise<RequestEnd> {
  const fault = faultOfRefusal(error);
  if (isAboutWarehouses(fault)) await doubtWarehouses(ports, store);
  const rejections = rows.map((row) => rejectionOfRow(row, fault));
  const kept = await ports.commands.update(key, (current) => refused(current, rejections, error.code));
  await reportRefused(ports, kept);
  return 'ended';
}

/**
 * Each half in a step of its own; a command that comes again goes on with them. What is not known of an earlier try of the
 * whole is not known of either.
 */
async function submitHalves(
  ports: SubmitRowsPorts,
  request: RowsToSubmit,
  { uncertain }: CommandStep,
): Promise<number> {
  const [first, second] = halvesOf({ ...request, uncertain });
  const batches = (await submitRows(ports, first)) + (await submitRows(ports, second));
  await endStep(ports, stepOf(request).key, {});
  return batches;
}
