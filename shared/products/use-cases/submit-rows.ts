import type { Submission } from '../../batches/model.ts';
import type { CommandStep, StepOutcome } from '../../commands/model.ts';
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
import { rejectedRowsOf } from '../rules/answered-rows.ts';
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

/** A request, and the store that it is for. */
export interface RowsToSubmit extends BulkRequest {
  readonly store: Store;
}

/**
 * Sends rows as one request and records the batch that it begins. Rows that the marketplace refuses as a whole are
 * halved, down to the ones at fault, which are rejected by themselves.
 *
 * @returns the number of requests that began a batch.
 * @throws {MarketplaceError} when the rows are to be sent again later, or the store's credentials are refused.
 */
export async function submitRows(ports: SubmitRowsPorts, request: RowsToSubmit): Promise<number> {
  const { store, operation, rows } = request;
  const own = stepOf(request);
  const products = rows.map(({ product }) => product);
  try {
    const sent = await sendAgain(ports, () =>
      runStep(ports, own, {
        send: (options) => operation.send(ports.calls, store, products, options),
        settle: (answer, step) => recordAnswer(ports, request, step, answer),
        finish: async (step) => {
          if (step.state === 'divided') await submitHalves(ports, request, step);
          else await finishStep(ports, step, products);
        },
      }),
    );
    return sent ? 1 : 0;
  } catch (error) {
    if (!(error instanceof MarketplaceError) || !isAboutRows(error)) throw error;
    if (rows.length === 1) return await rejectRow(ports, request, own.key, error);
    const step = await ports.commands.update(own.key, (current) => divided(current));
    return step?.state === 'divided' ? await submitHalves(ports, request, step) : 0;
  }
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
    sentRows: rows.length,
    rejectedRows: rejectedRowsOf(answer.errors, rows),
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
): Promise<number> {
  const fault = faultOfRefusal(error);
  if (isAboutWarehouses(fault)) await doubtWarehouses(ports, store);
  const rejections = rows.map((row) => rejectionOfRow(row, fault));
  const kept = await ports.commands.update(key, (current) => refused(current, rejections, error.code));
  await reportRefused(ports, kept);
  return 0;
}

/** Each half in a step of its own; a command that comes again goes on with them. */
async function submitHalves(
  ports: SubmitRowsPorts,
  request: RowsToSubmit,
  { commandId: key }: CommandStep,
): Promise<number> {
  const [first, second] = halvesOf(request);
  const batches = (await submitRows(ports, first)) + (await submitRows(ports, second));
  await endStep(ports, key, {});
  return batches;
}
