import type { AttemptRow } from '../../attempts/model.ts';
import type { AttemptTable } from '../../attempts/ports.ts';
import type { BatchKind, RowCommand } from '../../batches/model.ts';
import type { RequestArchive } from '../../batches/ports.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { Rejection } from '../../rejections/model.ts';
import type { CommandStep, StepOutcome } from '../model.ts';
import type { CommandTable } from '../ports.ts';
import { begun, done, dropped, type Try, withdrawn } from '../rules/steps.ts';

export interface RunStepPorts {
  readonly commands: Pick<CommandTable, 'update'>;
  readonly attempts: Pick<AttemptTable, 'put' | 'close'>;
  readonly requests: Pick<RequestArchive, 'put'>;
  readonly clock: { now(): number };
  readonly newId: () => string;
}

/** One step of a command, and what its request carries. */
export interface StepRequest {
  /** See `stepKey`. */
  readonly key: string;
  readonly storeClientId: string;
  /** Of the pack where the rows are of several commands. */
  readonly commandId: string;
  /** Row by row, only where they are of several commands. */
  readonly origins?: readonly RowCommand[] | undefined;
  readonly kind: BatchKind;
  /** The rows as they are sent, for the archive. */
  readonly sent: readonly unknown[];
  readonly rows: readonly AttemptRow[];
  /** The batch whose failed rows the command tries again. */
  readonly retryOf?: string | undefined;
  /** Whether an effect of it may be there before it is sent for the first time. Default `false`. */
  readonly uncertain?: boolean | undefined;
}

/** What is done about a step. */
export interface StepWork<Answer> {
  /** Makes the call; must pass the options on to the client. */
  readonly send: (options: CallOptions) => Promise<Answer>;
  /** Makes the effect of the answer durable; may be called again for the same step after a crash. */
  readonly settle: (answer: Answer, step: CommandStep) => Promise<StepOutcome>;
  /** Ends a step whose answer was kept, or which was divided, before a crash. Default: left to whoever did so. */
  readonly finish?: (step: CommandStep) => Promise<void>;
}

/**
 * Does one step of a command, once: the step, its rows and each attempt are recorded before anything is sent, and a
 * step whose answer is known is not sent again.
 *
 * @returns whether a request brought an answer; `false` for a step that was answered already.
 * @throws {MarketplaceError} of the call. The step remembers whether its request may have had an effect.
 */
export async function runStep<Answer>(
  ports: RunStepPorts,
  request: StepRequest,
  { send, settle, finish }: StepWork<Answer>,
): Promise<boolean> {
  const { key } = request;
  const attemptId = ports.newId();
  const step = await begin(ports, request, attemptId);
  if (step?.state === 'answered' || step?.state === 'divided') await finish?.(step);
  if (step?.state !== 'sending') return false;
  if (step.request !== undefined) await ports.requests.put(step.request.requestKey, request.sent);
  const answer = await attempt(ports, request, attemptId, send);
  const outcome = await settle(answer, step);
  await ports.attempts.close(attemptId, 'answered', outcome.batchId);
  await endStep(ports, key, outcome);
  return true;
}

/** Ends a step whose outcome is known otherwise than by an answer. */
export async function endStep(
  ports: Pick<RunStepPorts, 'commands' | 'clock'>,
  key: string,
  outcome: StepOutcome,
): Promise<void> {
  await ports.commands.update(key, (current) => done(current, outcome, isoNow(ports)));
}

/**
 * Ends a step that nobody wants done any more, where surely nothing of it was sent.
 *
 * @returns the step as it then stands: with the rejections, or as it was found.
 */
export async function dropStep(
  ports: Pick<RunStepPorts, 'commands' | 'clock'>,
  request: StepRequest,
  rejections: readonly Rejection[],
): Promise<CommandStep | undefined> {
  const { key } = request;
  return ports.commands.update(key, (current) =>
    dropped(current, tryOf(ports, request, current?.attemptId ?? key), rejections),
  );
}

async function begin(
  ports: RunStepPorts,
  request: StepRequest,
  attemptId: string,
): Promise<CommandStep | undefined> {
  return ports.commands.update(request.key, (current) => begun(current, tryOf(ports, request, attemptId)));
}

function tryOf(
  ports: Pick<RunStepPorts, 'clock'>,
  { key, storeClientId, commandId, origins, kind, rows, retryOf, uncertain = false }: StepRequest,
  attemptId: string,
): Try {
  const request = {
    storeClientId,
    commandId,
    kind,
    rows: rows.length,
    ...(origins !== undefined && { origins: [...origins] }),
    ...(retryOf !== undefined && { retryOf }),
  };
  return { commandId: key, attemptId, at: isoNow(ports), request, uncertain };
}

async function attempt<Answer>(
  ports: RunStepPorts,
  { key, storeClientId, commandId, kind, rows }: StepRequest,
  attemptId: string,
  send: (options: CallOptions) => Promise<Answer>,
): Promise<Answer> {
  const facts = { attemptId, storeClientId, commandId, kind, rows: [...rows] };
  try {
    return await send({
      onAttempt: ({ signedAt }) => ports.attempts.put({ ...facts, signedAt, state: 'sent' }),
    });
  } catch (error) {
    if (!(error instanceof MarketplaceError)) throw error;
    if (error.outcome === 'unknown') {
      await ports.attempts.close(attemptId, 'unknown');
    } else {
      await ports.attempts.close(attemptId, 'refused');
      await ports.commands.update(key, (current) => withdrawn(current, attemptId));
    }
    throw error;
  }
}

function isoNow({ clock }: Pick<RunStepPorts, 'clock'>): string {
  return new Date(clock.now()).toISOString();
}
