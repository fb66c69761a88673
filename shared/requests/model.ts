import { z } from 'zod';
import { batchKindSchema, rowNamesSchema } from '../events/outgoing.ts';

/** What a request asks for: the kind of its batch, or one of the calls that have no batch. */
export const requestKindSchema = z.enum([
  ...batchKindSchema.options,
  'order-decision',
  'shipping-label',
  'invoice',
]);

/** A command whose rows a request has. */
export const requestCommandSchema = z.object({
  /** The partner's own, or the event's ID. */
  commandId: z.string().min(1),
  eventId: z.string(),
  detailType: z.string(),
  /** Epoch ms: when the command was given. */
  time: z.number(),
  /** Its place in the order of the partner's own integer versions, where it has one. */
  version: z.number().int().nonnegative().optional(),
  /** The batch whose failed rows the command sends again. */
  retryOf: z.string().optional(),
});

/** A command with its plan, as each of its requests remembers both. */
const plannedCommandSchema = requestCommandSchema.extend({
  /** The requests that its rows go into. */
  recordIds: z.array(z.string()),
});

/** One row of a request: whose it is, and the names by which an answer, a summary or a read-back may call it. */
export const requestRowSchema = rowNamesSchema.extend({
  /** Position of its command in the request's `commands`. */
  command: z.number().int().nonnegative(),
  /** Position in its command, from 0. */
  index: z.number().int().nonnegative(),
});

/** Why a request was refused, or why its outcome is unknown. */
export const requestFaultSchema = z.object({
  code: z.string(),
  message: z.string(),
  /** The marketplace's, to quote when contacting its support. */
  requestId: z.string().optional(),
  status: z.number().optional(),
  /** What the marketplace says about it; bounded. */
  details: z.record(z.string(), z.unknown()).optional(),
});

/**
 * One signed request to the marketplace that must not be repeated blindly, from before it is sent until everything that
 * follows from its answer is durable.
 */
export const requestSchema = z.object({
  /** Ours. The `requestId` of an answer is the marketplace's. */
  recordId: z.string().min(1),
  storeClientId: z.string().min(1),
  kind: requestKindSchema,
  commands: z.array(plannedCommandSchema).min(1),
  /** In the order in which they are sent. */
  rows: z.array(requestRowSchema).min(1),
  /** Key in the archive bucket of the rows as they are sent. */
  requestKey: z.string(),
  /**
   * - `prepared`: nothing of it is sent, or what was sent surely had no effect;
   * - `sent`: it may have its effect until `signedAt` + attempt lifetime, and may have had it;
   * - `answered`: the marketplace's answer is in `answer`;
   * - `refused`: the request as a whole was refused, for `fault`;
   * - `split`: it was refused as a whole because of some row, and its rows go on in `halves`;
   * - `unknown`: its outcome can't be known from an answer, for `fault`.
   */
  state: z.enum(['prepared', 'sent', 'answered', 'refused', 'split', 'unknown']),
  /** Times that it was sent. */
  tries: z.number().int().nonnegative(),
  /** Tells the invocation that sent it last from others. */
  senderId: z.string().optional(),
  /** Epoch ms of the last signature. */
  signedAt: z.number().int().optional(),
  /** Whether the outcome of a try before the last one is unknown: its effect may be there already. */
  uncertain: z.boolean(),
  /** What the domain noted when the request was last sent, such as which of the rows were left out. */
  note: z.unknown().optional(),
  /** As the domain reads it. */
  answer: z.unknown().optional(),
  fault: requestFaultSchema.optional(),
  /** `recordId` of both halves of a split request. */
  halves: z.tuple([z.string(), z.string()]).optional(),
  /** ISO 8601. */
  createdAt: z.string(),
  /** ISO 8601; when its command was last worked on. */
  touchedAt: z.string(),
  /** ISO 8601; when everything that follows from its end was durable. */
  appliedAt: z.string().optional(),
});

/**
 * Which requests a command's rows go into. It is stored when the command is first received and never computed again, so
 * that other settings at a later delivery neither lose nor repeat a row.
 */
export const commandPlanSchema = z.object({
  recordIds: z.array(z.string()),
  /** Rows that were rejected before anything was sent. */
  rejected: z.number().int().nonnegative(),
  /** ISO 8601. */
  plannedAt: z.string(),
});

/** Which command set a field last. The later command is newer; commands of one time follow the order of their IDs. */
const fieldVersionSchema = z.object({
  /** Epoch ms. */
  time: z.number(),
  commandId: z.string(),
});

/** Fields that a request may have set, while its outcome is not known. Its end settles them, or its read-back. */
const fieldsClaimSchema = fieldVersionSchema.extend({
  fields: z.array(z.string()),
});

/** The right to work on one order, product or document alone. It expires, so that a crash keeps nothing locked. */
export const lockSchema = z.object({
  /** Unique to each holder. */
  holder: z.string(),
  /** Epoch ms. */
  until: z.number(),
});
export type Lock = z.infer<typeof lockSchema>;

/** A product or document with its lock. */
export const lockRecordSchema = z.object({
  lock: lockSchema.optional(),
  /** Of a product: the newest version of each field that the marketplace is known to have taken. */
  fields: z.record(z.string(), fieldVersionSchema).optional(),
  /** Of a product: what was sent and is not known to be taken or refused, one per command. */
  claims: z.array(fieldsClaimSchema).optional(),
  /** ISO 8601. */
  updatedAt: z.string(),
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

/** A command as a use case gets it: parsed, with its defaults. */
export interface Command extends RequestCommand {
  readonly storeClientId: string;
}

/** Key of a command's plan. Two stores may use the same command ID, as may two kinds of command. */
export function planKey({
  storeClientId,
  commandId,
  detailType,
}: Pick<Command, 'storeClientId' | 'commandId' | 'detailType'>): string {
  // The length tells where the store's ID ends, whatever characters both IDs have.
  return `${detailType}#${storeClientId.length}#${storeClientId}#${commandId}`;
}

/** Whether another holder's lock is alive at `now`, epoch ms. */
export function isLocked(lock: Lock | undefined, holder: string, now: number): boolean {
  return lock !== undefined && lock.holder !== holder && lock.until > now;
}

/** The lock as `holder` takes or lengthens it; `undefined` while it is another one's. Never shortens it. */
export function locked(
  lock: Lock | undefined,
  holder: string,
  { now, until }: { readonly now: number; readonly until: number },
): Lock | undefined {
  if (isLocked(lock, holder, now)) return undefined;
  return { holder, until: lock?.holder === holder ? Math.max(lock.until, until) : until };
}

/** The lock that is left when `holder` releases it. */
export function released(lock: Lock | undefined, holder: string): Lock | undefined {
  return lock?.holder === holder ? undefined : lock;
}
