import { z } from 'zod';
import { submissionSchema } from '../batches/model.ts';
import { rowCommandSchema } from '../events/batch-facts.ts';
import { rejectionSchema } from '../rejections/model.ts';

/** What a step sends, where somebody is to find out what became of it if its command never comes again. */
const stepRequestSchema = z.object({
  storeClientId: z.string(),
  kind: submissionSchema.shape.kind,
  /** Of the command, as it was given; of the pack where the rows are of several commands. */
  commandId: z.string(),
  /** Row by row, only where they are of several commands. */
  origins: z.array(rowCommandSchema).optional(),
  /** Rows of the request. */
  rows: z.number().int().nonnegative(),
  /** Key in the archive bucket of the rows, which are put there before they are sent. */
  requestKey: z.string(),
  /** The batch whose failed rows the command tries again. */
  retryOf: z.string().optional(),
});

/**
 * One step of a command: what one request to the marketplace does. The Commands table remembers it, so that a step
 * whose outcome is known is never done again (design §2).
 */
export const commandStepSchema = z.object({
  /** Key of the step: store, command and part of it; see `stepKey`. */
  commandId: z.string().min(1),
  /**
   * - `sending`: a request is about to leave or has left, and its outcome is not known;
   * - `waiting`: the last request surely had no effect, and the step will be tried again;
   * - `answered`: the batch that the answer began is kept in `answer`, or what it refused in `rejections`, and may have
   *   yet to be recorded;
   * - `divided`: the request was refused as a whole, and its rows go on in two steps of their own;
   * - `done`: the outcome is known.
   */
  state: z.enum(['sending', 'waiting', 'answered', 'divided', 'done']),
  /** Attempt that was made last. */
  attemptId: z.string(),
  /** Whether the outcome of some attempt before the last one stayed unknown: its effect may be there already. */
  uncertain: z.boolean(),
  /** Times that the step was begun. */
  tries: z.number().int().positive(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** ISO 8601; when the step was last begun. */
  begunAt: z.string().optional(),
  /** Absent for a step that makes no call of its own. */
  request: stepRequestSchema.optional(),
  /** What the answer began, from when it is known until it is recorded as a batch. */
  answer: submissionSchema.optional(),
  /** What the answer refused for good, from when it is known until it is reported. */
  rejections: z.array(rejectionSchema).optional(),
  /** Positions, from 0, of the rows that a request goes without: known before anything of it is sent. */
  leftOut: z.array(z.number().int().nonnegative()).optional(),
  /** What is said of rows that are not wanted any more, if it turns out that nothing of them was ever sent. */
  ifNeverSent: z.array(rejectionSchema).optional(),
  /** ISO 8601; when the step became `done`. */
  endedAt: z.string().optional(),
  /** Batch that the step began. */
  batchId: z.string().optional(),
  /** Why the marketplace refused the step for good. */
  code: z.string().optional(),
});

export type CommandStep = z.infer<typeof commandStepSchema>;
export type StepRequestFacts = z.infer<typeof stepRequestSchema>;

/** How a step ended. */
export type StepOutcome = Pick<CommandStep, 'batchId' | 'code'>;

/**
 * Who does a command, of all messages that hold it: the first that asked, for as long as the Commands table remembers
 * commands. So a command that came in two packs has one effect.
 */
export const commandClaimSchema = z.object({
  /** The pack that the command is done in; its own `commandId` where it is done alone. */
  packId: z.string(),
  /** ISO 8601. */
  claimedAt: z.string(),
  /** ISO 8601: when it was discarded, with all that waited for its store, before anybody began it. */
  discardedAt: z.string().optional(),
});

export type CommandClaim = z.infer<typeof commandClaimSchema>;

/**
 * Key of a step. Two stores may use the same command ID, as may two kinds of command.
 *
 * @param step which part of the command, such as `catalog-sync#0`.
 */
export function stepKey(storeClientId: string, commandId: string, step: string): string {
  return `${storeClientId}#${commandId}#${step}`;
}
