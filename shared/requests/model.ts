import { createHash } from 'node:crypto';
import * as z from 'zod';
import { requestAttemptSchema } from '../attempts/model.ts';
import { countSchema } from '../collections/counts.ts';
import { isObject } from '../collections/parse-json.ts';
import { commandDetailTypes } from '../events/incoming.ts';
import { batchKindSchema, rowNamesSchema } from '../events/outgoing.ts';
import type { Rejection } from '../rejections/model.ts';
import { type EpochMs, epochMsSchema, isoTimeSchema } from '../time/times.ts';

/** The kind of the request's batch; for a call without a batch, the name of the call. */
export const requestKindSchema = z.enum([
  ...batchKindSchema.options,
  'order-decision',
  'shipping-label',
  'invoice',
]);

const requestCommandSchema = z.object({
  /** The ID that the partner gave, or else the event's ID. */
  commandId: z.string().min(1),
  eventId: z.string(),
  detailType: z.string(),
  /** When the command was given, in epoch ms. */
  time: z.number(),
  /** When the command's first message was sent, in epoch ms. */
  receivedAt: z.number().optional(),
  /** The partner's integer version, if given. */
  version: z.number().int().nonnegative().optional(),
  /** The batch whose failed rows the command retries. */
  retryOf: z.string().optional(),
});

/** A command with its plan, copied into each of its requests. */
const plannedCommandSchema = requestCommandSchema.extend({
  /** All requests with rows of the command. */
  recordIds: z.array(z.string()),
  /** Rows that were rejected before anything was sent. Default: 0. */
  rejected: countSchema.optional(),
  /** See `commandPlanSchema`. */
  rejectionsKey: z.string().optional(),
  /** See `contentDigest`. */
  digest: z.string().optional(),
});

/** One row of a request: its place in its command, and the names by which an answer may identify it. */
const requestRowSchema = rowNamesSchema.extend({
  /** Position of the row's command in the request's `commands`. */
  command: z.number().int().nonnegative(),
  /** Position of the row in its command, from 0. */
  index: z.number().int().nonnegative(),
  /** The fields that are sent beside the names. Absent if the request's rows are in the archive. */
  fields: z.record(z.string(), z.unknown()).optional(),
});

/** Why a request was refused, or why its outcome is unknown. */
export const requestFaultSchema = z.object({
  code: z.string(),
  message: z.string(),
  /** The marketplace's ID of the request, to quote when contacting its support. */
  requestId: z.string().optional(),
  status: z.number().optional(),
  /** Details that the marketplace gave, bounded. */
  details: z.record(z.string(), z.unknown()).optional(),
});

/** A request to the marketplace that must not be repeated blindly. */
export const requestSchema = z.object({
  /** The connector's own ID; `requestId` is the marketplace's. */
  recordId: z.string().min(1),
  storeClientId: z.string().min(1),
  kind: requestKindSchema,
  commands: z.array(plannedCommandSchema).min(1),
  /** The rows in the order of sending. */
  rows: z.array(requestRowSchema).min(1),
  /** Key of the sent rows in the archive bucket. Absent if `rows` has all of them. */
  requestKey: z.string().optional(),
  /**
   * - `prepared`: not sent, or the last try had no effect;
   * - `sent`: the last try may have had an effect, or may still have one until `signedAt` + attempt lifetime;
   * - `answered`: the marketplace's answer is in `answer`;
   * - `refused`: the whole request was refused; `fault` says why;
   * - `split`: the whole request was refused because of some row; its rows go on in `halves`;
   * - `unknown`: no answer gives the outcome; `fault` says why.
   */
  state: z.enum(['prepared', 'sent', 'answered', 'refused', 'split', 'unknown']),
  tries: countSchema,
  /** The last ten tries, the newest last. */
  attempts: z.array(requestAttemptSchema).optional(),
  /** The invocation that sent it last. */
  senderId: z.string().optional(),
  /** When it was signed last. */
  signedAt: epochMsSchema.optional(),
  /** Whether some try has an unknown outcome: it may have had an effect. */
  uncertain: z.boolean(),
  /** The domain's note from the last send, such as which rows were left out. */
  note: z.unknown().optional(),
  /** The answer as the domain has parsed it. */
  answer: z.unknown().optional(),
  fault: requestFaultSchema.optional(),
  /** `recordId` of both halves of a split request. */
  halves: z.tuple([z.string(), z.string()]).optional(),
  createdAt: isoTimeSchema,
  /** When its command was delivered last. */
  touchedAt: isoTimeSchema,
  /** When all effects of its end were durable. */
  appliedAt: isoTimeSchema.optional(),
});

/**
 * The requests of a command. The plan is stored at the command's first delivery and never computed again: changed settings must
 * neither lose nor repeat a row.
 */
export const commandPlanSchema = z.object({
  recordIds: z.array(z.string()),
  /** Rows that were rejected before anything was sent. */
  rejected: countSchema,
  /** Key in the archive bucket under which the rejections of these rows are. */
  rejectionsKey: z.string().optional(),
  /** Why the whole command is rejected. Such a command has no requests. */
  fault: requestFaultSchema
    .pick({ code: true, message: true, details: true })
    .extend({ field: z.string().optional() })
    .optional(),
  /** When the rejections were reported. They are reported after the plan is stored: another delivery's plan may win. */
  reportedAt: isoTimeSchema.optional(),
  plannedAt: isoTimeSchema,
  /** ID of the command's first event. */
  eventId: z.string().optional(),
  /** See `contentDigest`. */
  digest: z.string().optional(),
});

/** A command that was received and waits. This record is not changed when the command is performed. */
export const commandWaitSchema = z.object({
  ...requestCommandSchema.pick({ commandId: true, eventId: true, detailType: true, time: true }).shape,
  storeClientId: z.string().min(1),
  /** Why it waits. */
  code: z.string(),
  message: z.string(),
  /** When it was received. */
  since: isoTimeSchema,
  /** When the command was delivered last. */
  at: isoTimeSchema,
  /** When the command is delivered next. */
  nextAt: isoTimeSchema,
});

/** The command that set a field last. The later command is newer; of two with the same time, the one with the greater ID. */
const fieldVersionSchema = z.object({
  /** Epoch ms. */
  time: z.number(),
  commandId: z.string(),
});

/** Fields that a request may have set. The claim ends when the outcome is known. */
const fieldsClaimSchema = fieldVersionSchema.extend({
  fields: z.array(z.string()),
  /** The sender of the last try. After a try without an effect, only its sender may end the claim. */
  senderId: z.string(),
});

/** The right to work on one order, product or document alone. It expires, so that a crash leaves no lock behind. */
export const lockSchema = z.object({
  /** Unique to each holder. */
  holder: z.string(),
  /** Epoch ms. */
  until: z.number(),
});
export type Lock = z.infer<typeof lockSchema>;

/** The lock of a product or a document. For a product, the record also has the versions of its fields. */
export const lockRecordSchema = z.object({
  lock: lockSchema.optional(),
  /** For a product: the newest version of each field that the marketplace has accepted. */
  fields: z.record(z.string(), fieldVersionSchema).optional(),
  /** For a product: fields of requests with an unknown outcome, one claim per command. */
  claims: z.array(fieldsClaimSchema).optional(),
  updatedAt: isoTimeSchema,
});

export type FieldVersion = z.infer<typeof fieldVersionSchema>;
export type FieldsClaim = z.infer<typeof fieldsClaimSchema>;
export type LockRecord = z.infer<typeof lockRecordSchema>;
export type RequestKind = z.infer<typeof requestKindSchema>;
export type RequestCommand = z.infer<typeof requestCommandSchema>;
export type RequestRow = z.infer<typeof requestRowSchema>;
export type RequestFault = z.infer<typeof requestFaultSchema>;
export type RequestRecord = z.infer<typeof requestSchema>;
export type CommandPlan = z.infer<typeof commandPlanSchema>;
export type CommandWait = z.infer<typeof commandWaitSchema>;

/** A parsed command, with its defaults. */
export interface Command extends RequestCommand {
  readonly storeClientId: string;
}

/** A command with nothing left to do: all that follows from its end is durable. */
export interface EndedCommand {
  /** A split request is replaced by its halves. */
  readonly requests: readonly RequestRecord[];
  /** Rejections of the rows that were not sent. */
  readonly rejections: readonly Rejection[];
  /** Why the whole command is rejected. Such a command has no requests. */
  readonly fault?: CommandPlan['fault'];
}

/** What identifies a command. Two stores may use the same command ID, and so may two kinds of command. */
export type CommandKey = Pick<Command, 'storeClientId' | 'commandId' | 'detailType'>;

/** The keys of all commands that may have this ID. */
export function commandsNamed(commandId: string, storeClientIds: readonly string[]): CommandKey[] {
  return storeClientIds.flatMap((storeClientId) =>
    commandDetailTypes.map((detailType) => ({ storeClientId, commandId, detailType })),
  );
}

export function planKey({ storeClientId, commandId, detailType }: CommandKey): string {
  // Without the length, two pairs of IDs with `#` in them could give the same key.
  return `${detailType}#${storeClientId.length}#${storeClientId}#${commandId}`;
}

/**
 * The ID under which the waiting command of an order or a product is found.
 *
 * @param subject an order's key, or a target.
 */
export function subjectId(storeClientId: string, subject: string): string {
  return `subject#${storeClientId.length}#${storeClientId}#${subject}`;
}

/** Digest of what a command asks for. Redeliveries have the same digest; the order of fields does not matter. */
export function contentDigest({
  commandId: _,
  eventId: __,
  time: ___,
  receivedAt: ____,
  ...asked
}: Command): string {
  const sorted = (_field: string, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  return createHash('sha256').update(JSON.stringify(asked, sorted)).digest('base64url').slice(0, 16);
}

/** Whether another holder's lock is alive at `now`. */
export function isLocked(lock: Lock | undefined, holder: string, now: EpochMs): boolean {
  return lock !== undefined && lock.holder !== holder && lock.until > now;
}

/** Takes or extends the lock for `holder`, but never shortens it; `undefined` while another holder has it. */
export function locked(
  lock: Lock | undefined,
  holder: string,
  { now, until }: { readonly now: EpochMs; readonly until: EpochMs },
): Lock | undefined {
  if (isLocked(lock, holder, now)) return undefined;
  return { holder, until: lock?.holder === holder ? Math.max(lock.until, until) : until };
}

/** Releases the lock, if `holder` has it. */
export function released(lock: Lock | undefined, holder: string): Lock | undefined {
  return lock?.holder === holder ? undefined : lock;
}
