import type { AttemptRow } from '../../attempts/model.ts';
import type { AttemptTable } from '../../attempts/ports.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { CommandStep, StepOutcome } from '../model.ts';
import type { CommandTable } from '../ports.ts';
import { begun, done, withdrawn } from '../rules/steps.ts';

export interface RunStepPorts {
  readonly commands: CommandTable;
  readonly attempts: AttemptTable;
  readonly clock: { now(): number };
  readonly newId: () => string;
}

/** One step of a command, and what its request carries. */
export interface StepRequest {
  /** See `stepKey`. */
  readonly key: string;
  readonly storeClientId: string;
  readonly commandId: string;
  /** What the attempt is recorded as: the batch kind, where there is one. */
  readonly kind: string;
  readonly rows: readonly AttemptRow[];
}

/**
 * Does one step of a command, once: the step and each attempt are recorded before anything is sent, and a step that is
 * done is not done again.
 *
 * @param send makes the call; must pass the options on to the client.
 * @param settle makes the effect of the answer durable; may be called again for the same step after a crash.
 * @returns whether a request brought an answer; `false` for a step that was done already.
 * @throws {MarketplaceError} of the call. The step remembers whether its request may have had an effect.
 */
export async function runStep<Answer>(
  ports: RunStepPorts,
  request: StepRequest,
  send: (options: CallOptions) => Promise<Answer>,
  settle: (answer: Answer, step: CommandStep) => Promise<StepOutcome>,
): Promise<boolean> {
  const { key } = request;
  const attemptId = ports.newId();
  const step = await ports.commands.update(key, (current) =>
    begun(current, { commandId: key, attemptId, at: isoNow(ports) }),
  );
  if (step === undefined || step.state === 'done') return false;
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
