import * as z from 'zod';
import type { BatchRecord } from '../../../../shared/batches/model.ts';
import { importIdOf } from '../../../../shared/imports/file/announced-file.ts';
import {
  compareCommands,
  type GivenCreation,
  type GivenDeletion,
  type GivenRow,
  type GivenUpdate,
} from '../../world/products/given-commands.ts';
import { FAULTY_NATURES } from '../../world/products/plan.ts';
import type { ProductWorld } from '../../world/products/product-world.ts';
import { unbatched } from '../batch-rejections.ts';
import { checkDiscarded, DISCARDED, discardedCommands } from './discarded.ts';
import { accountsByTag, type BatchedRow, type RowAccount, rejectionsOf } from './row-accounts.ts';
import { rootOf } from './sent-requests.ts';
import { isRetry } from './sent-rows.ts';
import { checkUpdatesReadBack } from './superseded-updates.ts';

const deletedRow = z.looseObject({ id: z.string() });

/**
 * After quiescence: every command has an end, every row of it one outcome, and that is the true one (P2, P3).
 * `dead`: commands in the dead-letter queue. Their rows that surely had no effect have no outcome.
 */
export function checkCommandsEnd(world: ProductWorld, dead: ReadonlySet<string>): void {
  const accounts = accountsByTag(world.tables);
  const dropped = discardedCommands(world.tables);
  for (const command of world.commands.values()) {
    if (dropped.has(command.commandId)) checkDiscarded(world.simulation, world.tables, command);
    if (command.kind === 'creation') checkCreation(world, command, accounts, dead);
    else if (dead.has(command.commandId)) continue;
    else if (command.kind === 'update') checkUpdate(world, command, dropped.has(command.commandId));
    else checkDeletion(world, command);
  }
  checkAbandonedDeletions(world);
  checkUpdatesReadBack(world);
}

function checkCreation(
  world: ProductWorld,
  command: GivenCreation,
  accounts: ReadonlyMap<string, readonly RowAccount[]>,
  dead: ReadonlySet<string>,
): void {
  const { commandId } = command;
  const importId = importIdOf({ bucket: 'imports', key: commandId, etag: commandId, sequencer: '1' });
  // The commands of a file are named after its import.
  const isDead = dead.has(commandId) || [...dead].some((id) => id.startsWith(`${importId}/`));
  // It is no longer known which rows of a file belonged to which of its commands.
  const isDropped = [...discardedCommands(world.tables)].some((id) => id.startsWith(`${importId}/`));
  // A file whose first rows could not be read in time twice is given up, with a fault that is reported: no row of it was sent.
  const { fault, sent } = world.tables.imports.read(importId)?.value.reading ?? {};
  const isGivenUp = fault?.code === 'FILE_STUCK' && sent === 0;
  for (const row of command.rows) {
    const found = [...(accounts.get(row.tag) ?? []), ...rejectionsOf(world.tables, command, row, importId)];
    const [account] = found;
    if (account === undefined && (isDead || isDropped || isGivenUp) && !world.effects.madeBy.has(row.tag))
      continue;
    if (account === undefined || found.length > 1) {
      const outcomes = found.map((one) =>
        'batch' in one ? `${one.batch.batchId} ${one.outcome}` : one.outcome,
      );
      world.simulation.violate(`P3: row ${row.tag} has ${found.length} outcomes: ${outcomes.join(', ')}`);
    } else {
      checkRepeated(world, command, row, account);
      checkOutcome(world, row, account);
    }
  }
}

/** A product that is in an event twice is one product: its later row must not be sent, unless the earlier one breaks a rule. */
function checkRepeated(
  { simulation }: ProductWorld,
  { origin, rows }: GivenCreation,
  row: GivenRow,
  account: RowAccount,
): void {
  const first = rows.find(({ product }) => product === row.product);
  const isRepeated = first !== row && origin === 'event' && row.product.nature !== 'broken';
  const isSaid = !('batch' in account) && account.rejection.code === 'ROW_REPEATED';
  if (isRepeated && 'batch' in account)
    simulation.violate(`P3: row ${row.tag} counts beside ${first?.tag}: both are one product`);
  if (isSaid && !isRepeated) simulation.violate(`P3: row ${row.tag} counts as repeated, and is not`);
}

/** A deletion that was no longer redelivered was read back: a product that counts as deleted does not exist. */
function checkAbandonedDeletions({ simulation, tables, shelf }: ProductWorld): void {
  for (const { kind, batchId, rows, submission } of tables.batches.all()) {
    if (kind !== 'product-deletion' || rows.accepted === 0) continue;
    const sent = tables.requests.get(submission?.requestKey ?? '') ?? [];
    const left = sent.filter((row) => shelf.get(deletedRow.parse(row).id) !== undefined);
    if (left.length > rows.sent - rows.accepted) {
      simulation.violate(
        `P3: of the deletion ${batchId} ${left.length} products are left: ${JSON.stringify(rows)}`,
      );
    }
  }
}

/** The recorded outcome must be the true one. */
export function checkOutcome(
  world: ProductWorld,
  { tag, product }: GivenRow,
  account: RowAccount,
  retryId?: string,
): void {
  const { simulation, effects, sentRows } = world;
  const maker = effects.madeBy.get(tag);
  const isMade = retryId === undefined ? maker !== undefined && !isRetry(maker) : maker === retryId;
  const wrong = (why: string) =>
    simulation.violate(`P3: row ${tag} (${product.nature}) is ${account.outcome}, ${why}`);
  if (!('batch' in account)) {
    if (isMade) wrong('and was made');
    if (account.rejection.code === DISCARDED || account.rejection.code === 'ROW_REPEATED') return;
    if (!FAULTY_NATURES.has(product.nature)) wrong('and breaks no rule');
    return;
  }
  const { batch, outcome } = account;
  if (isContradicted(world, batch)) return;
  const isReadBack = batch.resolution !== undefined;
  const recordId = batch.attemptId ?? '';
  const purpose = retryId ?? rootOf(recordId);
  const isSentOnce = sentRows.timesOf(tag, purpose) === 1 && world.sentRequests.timesOf(recordId) === 1;
  if (outcome === 'accepted' && !isMade) {
    if (isSentOnce && !isReadBack) wrong('and was not made by it');
    if (!effects.everMade(product.store, product.externalId)) wrong('and there never was such a product');
  }
  if (outcome === 'rejected' && isMade) {
    wrong(`with ${account.rejected?.code}, and was made by it`);
  }
  if (outcome === 'unknown') checkUnknown(world, tag, account, isSentOnce);
}

/** Whether a false summary was about the batch, or about an earlier try of its request whose summaries were matched to it. */
export function isContradicted(
  { tables, marketplace: { syncs } }: ProductWorld,
  batch: Pick<BatchRecord, 'batchId' | 'requestId'>,
): boolean {
  const ofTries = tables.batches.all().filter(({ matchedTo }) => matchedTo === batch.batchId);
  return [batch, ...ofTries].some((one) => syncs.isContradicted(one));
}

/** A row may stay unknown only if nothing could settle it, not even which of several tries refused it temporarily. */
function checkUnknown(
  { simulation, settings, marketplace }: ProductWorld,
  tag: string,
  { batch, rowIndex }: BatchedRow,
  isSentOnce: boolean,
): void {
  const { state, resolution, deadlineAt = '', batchId } = batch;
  const row = resolution?.unknownRows.find((unknown) => unknown.rowIndex === rowIndex);
  if (state !== 'unresolved' || resolution === undefined || row === undefined) {
    simulation.violate(`P3: row ${tag} stays unknown in ${batchId}, which is ${state}`);
  } else if (
    marketplace.syncs.isDelivered(batch) &&
    (isSentOnce || !marketplace.syncs.isRefusedForNow(batch, row))
  ) {
    simulation.violate(`P4: ${batchId} stays unresolved although its final summary came`);
  } else if (row.sku !== undefined) {
    const endOfGrace = Date.parse(deadlineAt) + settings.graceMs;
    if (Date.parse(resolution.resolvedAt) < endOfGrace)
      simulation.violate(`P3: row ${tag} was given up before the end of the grace`);
  }
}

function checkUpdate(world: ProductWorld, update: GivenUpdate, isDropped: boolean): void {
  const { simulation, effects, tables } = world;
  const { commandId, fault, productId, fields } = update;
  const isRejected = unbatched(tables.rejections).some((one) => one.commandId === commandId);
  const hadEffect = effects.updated.has(commandId);
  const isRemoved = effects.removedBy.has(productId);
  const wrong = (why: string) => simulation.violate(`P2: update ${commandId} ${why}`);
  if (isRejected && fault === undefined && !isRemoved && !isDropped)
    wrong('was rejected, and breaks no rule');
  if (isRejected && hadEffect && !isRemoved) wrong('was rejected, and had an effect');
  const breaksRule = fault === 'broken' || fault === 'ahead';
  if (breaksRule && !isRejected) wrong('breaks a rule, and was not rejected');
  const isDone = isRejected || hadEffect || fields.length === 0 || isReadBack(world, commandId);
  if (!isDone && !isSuperseded(world, update)) wrong('has no end');
}

/** Whether an update or deletion that was no longer redelivered, or was discarded, was settled by a read-back. */
function isReadBack({ tables }: ProductWorld, commandId: string): boolean {
  return tables.batches
    .all()
    .some(
      (batch) =>
        batch.commandId === commandId && batch.state !== 'submitted' && batch.resolution !== undefined,
    );
}

/** Whether newer updates set all its fields. */
function isSuperseded({ commands }: ProductWorld, update: GivenUpdate): boolean {
  const newer = [...commands.values()].filter(
    (other): other is GivenUpdate =>
      other.kind === 'update' &&
      other.productId === update.productId &&
      other.fault !== 'ahead' &&
      compareCommands(other, update) > 0,
  );
  return update.fields.every((field) => newer.some((other) => other.fields.includes(field)));
}

function checkDeletion(world: ProductWorld, command: GivenDeletion): void {
  const { simulation, effects, shelf, tables } = world;
  const { commandId, ids } = command;
  for (const id of ids) {
    const rejection = unbatched(tables.rejections).find(
      (one) => one.commandId === commandId && (one.id === id || one.id === undefined),
    );
    const isLeft = (shelf.get(id) !== undefined && !isReadBack(world, commandId)) || id === 'no-uuid';
    if (rejection === undefined && isLeft) {
      simulation.violate(`P2: deletion ${commandId} left ${id}, and did not say so`);
    }
    if (rejection !== undefined && effects.removedBy.get(id) === commandId) {
      simulation.violate(`P2: deletion ${commandId} of ${id} is rejected, and had an effect`);
    }
  }
}
