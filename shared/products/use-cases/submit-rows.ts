import type { RequestArchive } from '../../batches/ports.ts';
import { claimEarlySummary, type MatchSummaryPorts } from '../../batches/use-cases/match-summary.ts';
import { recordSubmission } from '../../batches/use-cases/record-submission.ts';
import { type CommandStep, stepKey } from '../../commands/model.ts';
import { endStep, type RunStepPorts, runStep } from '../../commands/use-cases/run-step.ts';
import { type SendAgainPorts, sendAgain } from '../../commands/use-cases/send-again.ts';
import type { RearmTargetsPorts } from '../../listings/use-cases/rearm-targets.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { StoreCredentials } from '../../stores/model.ts';
import type { Clock } from '../../time/clock.ts';
import type { BulkOperation } from '../bulk-operations.ts';
import type { BulkCommand, CommandRow } from '../model.ts';
import type { ProductCalls } from '../ports.ts';
import { rejectedRowsOf } from '../rules/answered-rows.ts';
import { faultOfRefusal, isAboutRows } from '../rules/refusal.ts';
import { rejectionOfRow } from '../rules/row-rejection.ts';
import { sentRowsOf } from '../rules/sent-rows.ts';
import { rearmCreated } from './rearm-created.ts';

export interface SubmitRowsPorts
  extends MatchSummaryPorts,
    RearmTargetsPorts,
    ReportRejectionsPorts,
    RunStepPorts,
    SendAgainPorts {
  readonly clock: Clock;
  readonly calls: ProductCalls;
  readonly requests: Pick<RequestArchive, 'put'>;
  /** How long a batch may stay open, in milliseconds. */
  readonly batchDeadlineMs: number;
}

/** Rows of one command that fit one request. */
export interface RowsToSubmit {
  readonly command: BulkCommand;
  readonly store: StoreCredentials;
  readonly operation: BulkOperation;
  /** Which part of the command, the same at each delivery. */
  readonly part: string;
  readonly rows: readonly CommandRow[];
}

/**
 * Sends rows as one request and records the batch that it begins. Rows that the marketplace refuses as a whole are
 * halved, down to the ones at fault, which are rejected by themselves.
 *
 * @returns the number of requests that began a batch.
 * @throws {MarketplaceError} when the rows are to be sent again later, or the store's credentials are refused.
 */
export async function submitRows(ports: SubmitRowsPorts, request: RowsToSubmit): Promise<number> {
  const { command, store, operation, rows, part } = request;
  const { storeClientId, commandId } = command;
  const { kind } = operation;
  const key = stepKey(storeClientId, commandId, `${kind}#${part}`);
  const products = rows.map(({ product }) => product);
  try {
    const sent = await sendAgain(ports, () =>
      runStep(
        ports,
        { key, storeClientId, commandId, kind, rows: sentRowsOf(products) },
        (options) => operation.send(ports.calls, store, products, options),
        (answer, step) => recordAnswer(ports, request, step, answer),
      ),
    );
    return sent ? 1 : 0;
  } catch (error) {
    if (!(error instanceof MarketplaceError) || !isAboutRows(error)) throw error;
    const requests = await settleRefusal(ports, request, error);
    await endStep(ports, key, { code: error.code });
    return requests;
  }
}

async function recordAnswer(
  ports: SubmitRowsPorts,
  { command, operation, rows }: RowsToSubmit,
  { attemptId, uncertain }: CommandStep,
  answer: BatchAnswer,
): Promise<{ batchId: string }> {
  const now = ports.clock.now();
  const submittedAt = new Date(now).toISOString();
  const products = rows.map(({ product }) => product);
  // No summary can name a batch whose answer gave no ID: it ends at its deadline, under our own.
  const batchId = answer.batchId ?? answer.requestId ?? attemptId;
  const batch = await recordSubmission(ports, {
    batchId,
    ...(answer.requestId !== undefined && { requestId: answer.requestId }),
    kind: operation.kind,
    storeClientId: command.storeClientId,
    attemptId,
    commandId: command.commandId,
    submittedAt,
    deadlineAt: new Date(now + ports.batchDeadlineMs).toISOString(),
    sentRows: rows.length,
    rejectedRows: rejectedRowsOf(answer.errors, rows),
    endsBy: operation.endsBy,
    ...(uncertain && { uncertain }),
    requestKey: await ports.requests.put(attemptId, products, submittedAt),
    ...(command.retryOf !== undefined && { retryOf: command.retryOf }),
  });
  await rearmCreated(ports, await claimEarlySummary(ports, batch), products);
  return { batchId };
}

/** Halves the rows, or rejects the one that is left. */
async function settleRefusal(
  ports: SubmitRowsPorts,
  request: RowsToSubmit,
  error: MarketplaceError,
): Promise<number> {
  const { rows, part, command } = request;
  if (rows.length === 1) {
    const fault = faultOfRefusal(error);
    await reportRejections(
      ports,
      rows.map((row) => rejectionOfRow(command, row, fault)),
    );
    return 0;
  }
  const middle = Math.ceil(rows.length / 2);
  const first = await submitRows(ports, { ...request, part: `${part}.0`, rows: rows.slice(0, middle) });
  return first + (await submitRows(ports, { ...request, part: `${part}.1`, rows: rows.slice(middle) }));
}
