import * as z from 'zod';
import type { BatchRecord } from '../batches/model.ts';
import type { ComparableFields } from '../batches/ports.ts';
import { recordSubmission } from '../batches/use-cases/record-batch.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { updatedProduct } from '../marketplace/product-changes.ts';
import type { ProductChanges } from '../marketplace/product-request.ts';
import type { Rejection } from '../rejections/model.ts';
import { boundedDetails } from '../rejections/rules/bounded.ts';
import { reportRejections } from '../rejections/use-cases/report-rejections.ts';
import type { Domain, PlannedRequest, RecordAttempt, RequestToSend } from '../requests/domain.ts';
import type { RequestRecord } from '../requests/model.ts';
import { givenAt, hadNoEffect } from '../requests/rules/deferral.ts';
import { rejectionOfCommand } from '../requests/rules/rejection.ts';
import type { Store } from '../stores/model.ts';
import type { EpochMs } from '../time/times.ts';
import type { UpdateCommand } from './model.ts';
import type { BatchEndPorts, ProductPorts } from './ports.ts';
import { checkUpdate } from './rules/check-product.ts';
import { lockedBy, newestFields, releasedBy, settledBy } from './rules/newest-fields.ts';
import { mayRename, renamesOf } from './rules/renames.ts';
import { faultOfRequest, unknownBatchOf } from './rules/request-batch.ts';
import {
  type ListingPart,
  listingOf,
  listingPartSchema,
  needsProduct,
  skusSetBy,
  splitUpdate,
  type UpdateItem,
  updateItemSchema,
} from './rules/split-update.ts';

/** The effects of an update: stored as the request's note before it is sent, and as its answer. */
const updateAnswerSchema = z.object({
  /** The fields that are sent. Fields that a newer update has set are left out. */
  fields: z.array(z.string()),
  /** SKUs that the fields set on the product or its variants. */
  skus: z.array(z.string()),
  listing: listingPartSchema,
  /** SKUs of the product or its variants before the update (`from`), and the SKUs that replace them (`to`). */
  renames: z.array(z.object({ from: z.string(), to: z.string() })).default([]),
  isSuperseded: z.boolean().optional(),
  /** Why the update can't be done. If set, nothing was sent. */
  fault: z.object({ code: z.string(), message: z.string(), field: z.string() }).optional(),
  /** The marketplace's answer, if anything was sent, and its time in epoch ms. */
  updated: updatedProduct.optional(),
  answeredAt: z.number().optional(),
});
export type UpdateAnswer = z.infer<typeof updateAnswerSchema>;

/** The effects of an update: from its answer, else from its note. */
export function updateAnswerOf({ answer, note }: Pick<RequestRecord, 'answer' | 'note'>): UpdateAnswer {
  return updateAnswerSchema.parse(answer ?? note ?? { fields: [], skus: [], listing: NOTHING });
}

const NOTHING: ListingPart = { prices: [], stocks: [] };

/**
 * The ledger's functions for updates (§4.7). Each update is one request. Updates of one product are sent one at a time,
 * and the newest value of each field wins. Prices and stock become changes of listings ("How newest wins" in
 * docs/architecture.md) once the marketplace has accepted the other fields.
 */
export function createUpdateRequests(
  ports: ProductPorts,
): Pick<Domain<UpdateCommand>, 'plan' | 'send' | 'apply'> {
  return {
    plan,
    send: (request, recordAttempt) => send(ports, request, recordAttempt),
    apply: (record) => apply(ports, record),
  };
}

const plan: Domain<UpdateCommand>['plan'] = (commands, store) => {
  const requests: PlannedRequest<UpdateCommand>[] = [];
  const rejections: Rejection[] = [];
  for (const command of commands) {
    const checked = checkUpdate(command.productId, command.changes, store);
    if ('fault' in checked) {
      rejections.push(rejectionOfCommand(command, checked.fault));
      continue;
    }
    const item = splitUpdate(command.productId, checked.changes, store.names.products);
    requests.push({ kind: 'product-update', rows: [{ command, index: 0, item, names: { id: item.id } }] });
  }
  return { requests, rejections };
};

function lockOf(
  { locks, clock, attemptLifetimeMs }: ProductPorts,
  record: RequestRecord,
  { changes }: UpdateItem,
  senderId: string,
) {
  const update = { ...versionOf(record), senderId, fields: Object.keys(changes) };
  return {
    /**
     * Takes or extends the lock for a request signed at `from` (epoch ms).
     *
     * @returns the fields to send.
     * @throws {ConnectorError} PRODUCT_BUSY, retryable, while another update has the lock.
     */
    take: async (from: number, isSending = false): Promise<string[]> => {
      const until = from + attemptLifetimeMs;
      const product = await locks.update(lockKeyOf(record), (current) =>
        lockedBy(current, update, { now: clock.now(), until, isSending }),
      );
      const { holder, until: heldUntil = 0 } = product?.lock ?? {};
      // After a long delay another update may have the lock by now.
      const isOver = heldUntil < until || clock.now() >= until;
      if (holder !== senderId || isOver) throw productBusy();
      return newestFields(product, update, clock.now());
    },
    /** Releases the lock, and the claim, after a try that certainly had no effect. */
    release: () => locks.update(lockKeyOf(record), (current) => releasedBy(current, senderId)),
  };
}

async function send(
  ports: ProductPorts,
  { record, items, store, senderId }: RequestToSend,
  recordAttempt: RecordAttempt,
): Promise<UpdateAnswer> {
  const item = updateItemSchema.parse(items[0]);
  if (Object.keys(item.changes).length === 0) return prepare(ports, store, item, []);
  const lock = lockOf(ports, record, item, senderId);
  const fields = await lock.take(ports.clock.now());
  let isRecorded = false;
  try {
    const prepared = await prepare(ports, store, item, fields);
    // An earlier try may have renamed the product already. That try has recorded the former SKUs.
    const { renames } = updateAnswerOf((await lastTryOf(ports, record, item)) ?? {});
    const answer = { ...prepared, ...(renames.length > 0 && { renames }) };
    if (answer.fields.length === 0) {
      await lock.release();
      return answer;
    }
    const onAttempt: RecordAttempt = async (attempt) => {
      isRecorded = false;
      // Record the try before it claims the fields: a claim ends when its try is settled, and only a recorded try is settled.
      await recordAttempt(attempt, answer);
      isRecorded = true;
      const still = await lock.take(attempt.signedAt, true);
      // A newer update was accepted meanwhile.
      if (still.length < fields.length) throw productBusy();
    };
    const request = { productId: item.id, changes: fieldsOf(item.changes, fields) };
    const updated = await ports.calls.updateProduct(store, request, { onAttempt });
    return { ...answer, updated: storable(updated), answeredAt: ports.clock.now() };
  } catch (error) {
    // If an earlier try may still land, the lock must expire by itself. A try that could not be recorded was not sent.
    if ((!isRecorded || hadNoEffect(error)) && !record.uncertain) await lock.release();
    throw error;
  }
}

type Updated = z.infer<typeof updatedProduct>;

/** The marketplace's answer without fields that are too large for the request's record. */
function storable({ data, ...envelope }: Updated): Updated {
  return { ...boundedDetails(envelope), data: data && boundedDetails(data) } as Updated;
}

/** The request with the note of its last try, if that try may have renamed the product. */
async function lastTryOf(
  { requests }: ProductPorts,
  { recordId, uncertain }: RequestRecord,
  { changes }: UpdateItem,
): Promise<RequestRecord | undefined> {
  return uncertain && mayRename(changes) ? requests.get(recordId) : undefined;
}

/** A failed read is not repeated by itself: the whole request is repeated, within the time of its function. */
const ONE_ATTEMPT = { maxAttempts: 1 };

/** Computes the effects of the update; reads the product if its listing needs it. */
async function prepare(
  { calls }: ProductPorts,
  store: Store,
  item: UpdateItem,
  fields: readonly string[],
): Promise<UpdateAnswer> {
  const changes = fieldsOf(item.changes, fields);
  const name = store.names.products;
  const shown = needsProduct(item, name)
    ? (await calls.getProduct(store, { productId: item.id }, ONE_ATTEMPT)).data
    : undefined;
  const listing = listingOf(item, name, { shown, sku: changes.sku });
  if ('fault' in listing)
    return { fields: [], skus: [], renames: [], listing: NOTHING, fault: listing.fault };
  const isSuperseded = fields.length === 0 && Object.keys(item.changes).length > 0;
  return {
    fields: [...fields],
    skus: skusSetBy(changes),
    listing,
    renames: name === 'id' ? [] : renamesOf(changes, shown),
    ...(isSuperseded && { isSuperseded }),
  };
}

async function apply(ports: ProductPorts, record: RequestRecord): Promise<void> {
  const { state, senderId = '', uncertain } = record;
  if (state === 'unknown')
    return void (await recordSubmission(ports, unknownBatchOf(record, ports.attemptLifetimeMs)));
  const done = updateAnswerOf(record);
  // A refusal counts even after a try of unknown outcome, as that try had the same fields.
  const fault = state === 'refused' && record.fault ? faultOfRequest(record.fault) : done.fault;
  const update = { ...versionOf(record), senderId };
  const taken = fault === undefined ? done.fields : [];
  await ports.locks.update(lockKeyOf(record), (current) =>
    settledBy(current, update, { taken, release: !uncertain, now: ports.clock.now() }),
  );
  const { answeredAt = 0 } = done;
  if (fault === undefined) return followUpdate(ports, record, done, answeredAt);
  const { storeClientId, rows } = record;
  const command = { ...commandOf(record), storeClientId, productId: rows[0]?.id ?? '' };
  return reportRejections(ports, [rejectionOfCommand(command, fault)]);
}

/**
 * Queues the prices and stock of an accepted update as changes of listings. If the update
 * set SKUs, all values of their listings are sent again: the product or variant may never have received them. Idempotent.
 *
 * @param knownAt epoch ms: when the update was known to be accepted; the same at every call.
 */
async function followUpdate(
  { changes }: Pick<BatchEndPorts, 'changes'>,
  record: RequestRecord,
  { skus, listing, renames }: UpdateAnswer,
  knownAt: EpochMs,
): Promise<void> {
  const { storeClientId } = record;
  const { commandId, time, version } = commandOf(record);
  const facts = { storeClientId, commandId, time, ...(version !== undefined && { version }) };
  for (const rename of renames) await changes.sendRenamed({ ...facts, ...rename });
  await changes.sendCreated({ storeClientId, products: skus.map((sku) => ({ sku })), knownAt });
  await changes.send({ ...facts, ...listing });
}

/**
 * Applies the resolution of an update of unknown outcome. The update's fields count as set, unless it turned out that the update was
 * not done. In that case an older update of these fields may be sent. Idempotent.
 */
export async function followResolution(
  ports: BatchEndPorts,
  { kind, state, attemptId, completedAt = '' }: BatchRecord,
): Promise<void> {
  if (kind !== 'product-update' || state === 'submitted' || attemptId === undefined) return;
  const record = await ports.requests.get(attemptId);
  if (record === undefined) return;
  const done = updateAnswerOf(record);
  const update = { ...versionOf(record), senderId: '' };
  const taken = state === 'failed' ? [] : done.fields;
  await ports.locks.update(lockKeyOf(record), (current) =>
    settledBy(current, update, { taken, release: false, now: ports.clock.now() }),
  );
  if (state === 'completed') await followUpdate(ports, record, done, Date.parse(completedAt));
}

/** Which sent fields of an update no newer update has set, and which of these a newer update of unknown outcome may have set. */
export async function comparableFields(
  { requests, locks, clock }: Pick<BatchEndPorts, 'requests' | 'locks' | 'clock'>,
  recordId: string,
): Promise<ComparableFields | undefined> {
  const record = await requests.get(recordId);
  if (record === undefined) return undefined;
  const update = { ...versionOf(record), senderId: '', fields: updateAnswerOf(record).fields };
  const product = await locks.update(lockKeyOf(record), () => undefined);
  const now = clock.now();
  const unset = newestFields(product && { ...product, claims: [] }, update, now);
  const own = newestFields(product, update, now);
  return { unset, claimed: unset.filter((field) => !own.includes(field)) };
}

function fieldsOf(changes: ProductChanges, fields: readonly string[]): ProductChanges {
  return Object.fromEntries(Object.entries(changes).filter(([field]) => fields.includes(field)));
}

function commandOf({ recordId, commands: [command] }: RequestRecord) {
  if (command === undefined) throw new RangeError(`request ${recordId} has no command`);
  return command;
}

function versionOf(record: RequestRecord) {
  const command = commandOf(record);
  return { time: givenAt(command), commandId: command.commandId };
}

function lockKeyOf({ storeClientId, rows }: RequestRecord): string {
  return `product#${storeClientId}#${rows[0]?.id}`;
}

function productBusy(): ConnectorError {
  return new ConnectorError('another command is updating the product', {
    code: 'PRODUCT_BUSY',
    retryable: true,
  });
}
