import type { Submission } from '../../batches/model.ts';
import type { RequestArchive } from '../../batches/ports.ts';
import type { CommandStep, StepRequestFacts } from '../../commands/model.ts';
import type { CommandTable } from '../../commands/ports.ts';
import { abandoned, commandsOf, neverSent } from '../../commands/rules/steps.ts';
import { type OnFailure, setApart } from '../../errors/set-apart.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { type FinishStepPorts, finishStep } from './finish-step.ts';

export interface SweepStepsPorts extends FinishStepPorts {
  readonly commands: Pick<CommandTable, 'update' | 'listOpen'>;
  readonly requests: Pick<RequestArchive, 'get'>;
  readonly stores: Pick<StoreTable, 'get'>;
}

/**
 * Milliseconds after its last try from which a command does not come again: it is put off for 10 minutes, and hidden
 * in its queue for 12, at most; the rest is for the queue's length.
 */
const ABANDONED_AFTER_MS = 60 * 60_000;
/** A command waits for its store to be connected; its rows are unknown no longer than this, in milliseconds. */
const WAITS_FOR_STORE_MS = 7 * 24 * 60 * 60_000;
/** What the archive keeps at least, in milliseconds. */
const ARCHIVED_FOR_MS = 24 * 60 * 60_000;
const STEPS_PER_PAGE = 25;

/**
 * Ends the steps of product commands that nobody comes back to: their function died, or no answer ever came until the
 * command was given up. An answer that was kept is recorded, or reported. Where there is none, a batch of the step's own
 * is begun that is past its deadline, so that its rows are read back as those of any other (design P2, P3).
 *
 * @param signal ends the work; what is left is left to the next sweep.
 * @param onFailure is told of each step that could not be read, or ended; the others are all the same.
 * @returns how many steps were ended.
 */
export async function sweepSteps(
  ports: SweepStepsPorts,
  { signal, onFailure }: { readonly signal: AbortSignal; readonly onFailure: OnFailure },
): Promise<number> {
  const begunBefore = new Date(ports.clock.now() - ABANDONED_AFTER_MS).toISOString();
  let ended = 0;
  let cursor: string | undefined;
  do {
    const page = await ports.commands.listOpen({ begunBefore, limit: STEPS_PER_PAGE, cursor });
    for (const error of page.unreadable) onFailure(error);
    for (const step of page.steps) {
      if (signal.aborted) return ended;
      if (await setApart(onFailure, () => endAbandoned(ports, step, begunBefore))) ended += 1;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ended;
}

async function endAbandoned(
  ports: SweepStepsPorts,
  step: CommandStep,
  begunBefore: string,
): Promise<boolean> {
  const { commandId: key, request } = step;
  if (request === undefined || (await waitsForStore(ports, step, request, begunBefore))) return false;
  const sent = await ports.requests.get(request.requestKey);
  const kept = await ports.commands.update(key, (current) => {
    if (current?.state === 'answered') return undefined;
    if (sent === undefined && wouldBeArchived(step, ports.clock.now())) return neverSent(current, step);
    return abandoned(current, step, ownBatch(step, request, ports.clock.now()));
  });
  if (kept?.state !== 'answered') return false;
  await finishStep(ports, kept, sent ?? []);
  return true;
}

/** Whether the rows would be in the archive if any of them had left: they are put there before. */
function wouldBeArchived({ uncertain, startedAt }: CommandStep, now: number): boolean {
  return !uncertain || now - Date.parse(startedAt) < ARCHIVED_FOR_MS;
}

/** Whether the command may yet come again, as its store was not connected until a while ago. */
async function waitsForStore(
  { stores, clock }: SweepStepsPorts,
  { begunAt = '' }: CommandStep,
  { storeClientId }: StepRequestFacts,
  begunBefore: string,
): Promise<boolean> {
  const store = await stores.get(storeClientId);
  if (store === undefined) return false;
  if (store.state === 'connected') return store.updatedAt >= begunBefore;
  return begunAt >= new Date(clock.now() - WAITS_FOR_STORE_MS).toISOString();
}

/** A batch under the step's own attempt, whose every row is unknown. */
function ownBatch({ attemptId }: CommandStep, request: StepRequestFacts, now: number): Submission {
  const { kind, storeClientId, rows, requestKey, retryOf } = request;
  const at = new Date(now).toISOString();
  return {
    batchId: attemptId,
    kind,
    storeClientId,
    attemptId,
    ...commandsOf(request),
    submittedAt: at,
    deadlineAt: at,
    sentRows: rows,
    rejectedRows: [],
    endsBy: 'summary',
    requestKey,
    ...(retryOf !== undefined && { retryOf }),
  };
}
