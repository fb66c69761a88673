import type { BatchTable } from '../batches/ports.ts';
import type { ChangeEventTable } from '../changes/change-events.ts';
import { rejectedRowsIn } from '../changes/use-cases/rejected-rows.ts';
import { mapConcurrently, READS_AT_A_TIME } from '../collections/for-each-concurrently.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import type { ListingTable } from '../listings/ports.ts';
import { targetsOf } from '../listings/rules/target.ts';
import { orderKeyOf } from '../orders/model.ts';
import type { OrderTable } from '../orders/ports.ts';
import { type RejectionKeyName, type RejectionTable, UNKNOWN_STORE } from '../rejections/model.ts';
import { type CommandKey, commandsNamed, planKey, subjectId } from '../requests/model.ts';
import { waitSeenAt } from '../requests/rules/deferral.ts';
import type { StoreTable } from '../stores/ports.ts';
import { allStoreIds } from '../stores/use-cases/all-stores.ts';
import { stepsOfBatch, stepsOfFailedRequest } from './batch-steps.ts';
import { givenSteps, stepsOfCommand, stepsOfRejection, triesOf } from './command-steps.ts';
import { type FollowCommandPorts, followPlan, followRequest } from './follow-command.ts';
import { stepsOfChangeEvent, stepsOfListing } from './listing-steps.ts';
import type { Trace, TraceStep, TraceSubject } from './model.ts';
import { notFound, type QueueCounts } from './not-found.ts';
import { openCreationsOf } from './open-creations.ts';
import { stepsOfOrder } from './order-steps.ts';
import { MOST_NAMES, namesOfProduct } from './product-names.ts';
import { type WaitingFactsPorts, withCause, withReasons } from './waiting-facts.ts';

export interface TracePorts extends FollowCommandPorts, WaitingFactsPorts {
  readonly changeEvents: Pick<ChangeEventTable, 'get'>;
  readonly batches: FollowCommandPorts['batches'] & Pick<BatchTable, 'list'>;
  readonly listings: Pick<ListingTable, 'getMany' | 'ofProduct'>;
  readonly orders: Pick<OrderTable, 'get'>;
  readonly rejections: Pick<RejectionTable, 'listOf' | 'list'>;
  readonly stores: Pick<StoreTable, 'list' | 'get'>;
  readonly deadLetters: QueueCounts;
}

/** Most batches of a target or an event. */
const MOST_BATCHES = 20;
/** Most commands of a batch. */
const MOST_COMMANDS = 100;
/** Most rejections of a product or an order. */
const MOST_OF_SUBJECT = 20;
/** Most rejections; `GET /stores/{storeClientId}/rejections` has all of them. */
const MOST_REJECTIONS = 100;

/**
 * The steps of an event, a command, a batch, a target or an order, from the tables.
 *
 * @param subject one ID; with `storeClientId` the steps of that store only.
 * @throws ConnectorError `TRACE_UNKNOWN` if the tables have no step.
 */
export async function traceOf(ports: TracePorts, subject: TraceSubject): Promise<Trace> {
  const { storeClientId } = subject;
  const { steps, isInBatch } = await withOpenCreations(ports, subject, await stepsOf(ports, subject));
  const own = steps.filter((step) => storeClientId === undefined || step.storeClientId === storeClientId);
  const given = Object.entries(subject).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (own.length === 0) throw await unknown(ports, given, isInBatch);
  return {
    subject: Object.fromEntries(given),
    steps: own.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
  };
}

async function unknown(
  { deadLetters }: Pick<TracePorts, 'deadLetters'>,
  given: readonly (readonly [string, string])[],
  isInBatch: boolean,
): Promise<ConnectorError> {
  const named = given.map(([name, value]) => `${name} ${value}`).join(', ');
  return new ConnectorError(await notFound(named, deadLetters, isInBatch), { code: 'TRACE_UNKNOWN' });
}

/**
 * The steps. If only rejections of earlier tries have the product, adds the steps of open batches that create it.
 *
 * @returns also whether the product may be in an open batch that was not found.
 */
async function withOpenCreations(
  ports: TracePorts,
  { target, storeClientId }: TraceSubject,
  steps: readonly TraceStep[],
): Promise<{ steps: readonly TraceStep[]; isInBatch: boolean }> {
  if (target === undefined || steps.some(({ what }) => what !== 'row.rejected'))
    return { steps, isInBatch: false };
  const { found, isWhole } = await openCreationsOf(ports, [target], storeClientId);
  const ofBatches = await mapConcurrently(found.slice(0, MOST_BATCHES), READS_AT_A_TIME, ({ batchId }) =>
    stepsByBatch(ports, batchId),
  );
  const own = ofBatches
    .flat()
    .filter((step) => step.what !== 'row.rejected' || targetsOf(step).includes(target));
  return { steps: [...own, ...withoutRows(steps, own)], isInBatch: !isWhole };
}

async function stepsOf(ports: TracePorts, subject: TraceSubject): Promise<TraceStep[]> {
  const { storeClientId, eventId, commandId, batchId, target, orderId, invoiceNumber, requestId } = subject;
  if (batchId !== undefined) return stepsByBatch(ports, batchId);
  if (requestId !== undefined) return stepsByRequest(ports, requestId);
  const stores = storeClientId === undefined ? await allStoreIds(ports.stores) : [storeClientId];
  const named = storeClientId === undefined ? [...stores, UNKNOWN_STORE] : stores;
  const inEachStore = async (read: (store: string) => Promise<TraceStep[]>) =>
    (await mapConcurrently(named, READS_AT_A_TIME, read)).flat();
  if (target !== undefined) return inEachStore((store) => stepsByTarget(ports, store, target));
  if (orderId !== undefined) return inEachStore((store) => stepsByOrder(ports, store, 'orderId', orderId));
  if (invoiceNumber !== undefined)
    return inEachStore((store) => stepsByOrder(ports, store, 'invoiceNumber', invoiceNumber));
  const sourceId = eventId ?? commandId ?? '';
  const steps = await stepsBySource(ports, sourceId, stores);
  if (steps.length > 0) return steps;
  // A command that was rejected whole is found by its own ID, but not by the ID of its event.
  return inEachStore((store) => rejectedSteps(ports, store, 'eventId', sourceId));
}

/** Steps by the ID of an event or a command: by default a command has the ID of its event. */
async function stepsBySource(
  ports: TracePorts,
  sourceId: string,
  stores: readonly string[],
): Promise<TraceStep[]> {
  const alias = await ports.requests.aliasOf(sourceId);
  const all = await ports.rejections.listOf(sourceId);
  // Rejections of a batch are among the steps of the batch.
  const rejections = all.filter(({ batchId }) => batchId === undefined).slice(0, MOST_REJECTIONS);
  const ofCommand = alias && 'command' in alias ? await stepsOfAlias(ports, alias.command, sourceId) : [];
  return [
    ...(await changeSteps(ports, sourceId)),
    ...(await stepsOfCommands(ports, commandsNamed(sourceId, stores))),
    ...ofCommand,
    ...rejections.flatMap(stepsOfRejection),
  ];
}

/** The steps of a command that has another ID than its event. */
async function stepsOfAlias(ports: TracePorts, command: CommandKey, eventId: string): Promise<TraceStep[]> {
  const rejections = await ports.rejections.listOf(command.commandId);
  const own = rejections.filter((one) => one.eventId === eventId).slice(0, MOST_REJECTIONS);
  return [...(await stepsOfCommands(ports, [command])), ...own.flatMap(stepsOfRejection)];
}

/** The steps of a request by the connector's ID or the marketplace's. */
async function stepsByRequest(ports: TracePorts, requestId: string): Promise<TraceStep[]> {
  const batchId = await ports.batches.linkedTo(requestId);
  if (batchId !== undefined) return stepsByBatch(ports, batchId);
  const alias = await ports.requests.aliasOf(requestId);
  if (alias && 'failed' in alias) return stepsOfFailedRequest(requestId, alias.failed);
  const recordId = alias && 'recordId' in alias ? alias.recordId : requestId;
  const [record, followed] = await Promise.all([
    ports.requests.get(recordId),
    followRequest(ports, recordId),
  ]);
  // The halves of a split request have their own tries.
  const split = record?.halves === undefined ? [] : triesOf({}, record);
  const ofRequests = followed.flatMap((request) => {
    const { storeClientId, commands } = request.record;
    const some = commands.slice(0, MOST_COMMANDS);
    return some.flatMap((command) =>
      stepsOfCommand({ storeClientId, commandId: command.commandId }, { requests: [request] }),
    );
  });
  return [...split, ...ofRequests];
}

/** The steps of an order, the tries of its last requests, and the steps of commands that wait for it. */
async function stepsByOrder(
  ports: TracePorts,
  storeClientId: string,
  name: 'orderId' | 'invoiceNumber',
  value: string,
): Promise<TraceStep[]> {
  const orderKey = orderKeyOf({ [name]: value });
  const order = await ports.orders.get(storeClientId, orderKey);
  const waited = order?.waited?.map((one) => ({ ...one, storeClientId }));
  const others = [
    ...(await lastCommandSteps(ports, storeClientId, orderKey, waited)),
    ...(await rejectedSteps(ports, storeClientId, name, value)),
  ];
  if (order === undefined) return others;
  const { orderId, invoiceNumber } = order;
  const actions = [order.decision, order.dropoff].flatMap((action) => action ?? []);
  const tries = await Promise.all(
    actions.map(async ({ recordId, commandId }) => {
      const record = await ports.requests.get(recordId);
      return record ? triesOf({ commandId, orderId, invoiceNumber }, record) : [];
    }),
  );
  const known = new Set(actions.map(({ recordId }) => recordId));
  const further = others.filter(
    ({ what, recordId }) => what !== 'request.tried' || !known.has(recordId ?? ''),
  );
  return [...stepsOfOrder(order), ...tries.flat(), ...further];
}

/**
 * The steps of the last command about an order or a product. If it waits: why, with the tries of its requests. If it has ended: its
 * steps, if it has updated or deleted the product.
 *
 * @param waited the last command of each kind that had to wait for the order or product. Among them are commands that can't be found by
 * it, because they are about too many
 */
async function lastCommandSteps(
  ports: TracePorts,
  storeClientId: string,
  subject: string,
  waited: readonly CommandKey[] = [],
): Promise<TraceStep[]> {
  const alias = await ports.requests.aliasOf(subjectId(storeClientId, subject));
  const last = alias && 'command' in alias ? [alias.command] : [];
  const commands = new Map([...last, ...waited].map((command) => [planKey(command), command]));
  const each = await mapConcurrently([...commands.values()], READS_AT_A_TIME, async (command) => {
    const steps = await stepsOfCommands(ports, [command]);
    if (steps.some(({ what }) => what === 'command.waiting'))
      return steps.filter(({ what }) => /^(command[.](given|waiting)|request[.]tried)$/.test(what));
    if (!/^product[.](update|delete)[.]/.test(command.detailType)) return [];
    return steps.filter((step) => step.what !== 'row.rejected' || targetsOf(step).includes(subject));
  });
  return each.flat();
}

async function changeSteps(ports: TracePorts, eventId: string): Promise<TraceStep[]> {
  const steps: TraceStep[] = [];
  for (const event of await ports.changeEvents.get(eventId)) {
    const listings = [...(await ports.listings.getMany(event.storeClientId, event.targets)).values()];
    const own = stepsOfChangeEvent(event, await withReasons(ports, event.storeClientId, listings));
    const batches = await batchSteps(ports, own, event.targets);
    // A listing only has the outcome of its newest values.
    const replaced = own.flatMap(({ outcome, target }) => (outcome === 'superseded' ? (target ?? []) : []));
    const rejected = await rejectedRowsIn(ports, event, [...new Set(replaced)].slice(0, MOST_NAMES));
    steps.push(...own, ...batches, ...withoutRows(rejected.flatMap(stepsOfRejection), batches));
  }
  return steps;
}

async function stepsOfCommands(ports: TracePorts, commands: readonly CommandKey[]): Promise<TraceStep[]> {
  const keys = commands.map(planKey);
  const [plans, waits] = await Promise.all([ports.requests.getPlans(keys), ports.requests.getWaits(keys)]);
  const steps: TraceStep[] = [];
  for (const command of commands) {
    const key = planKey(command);
    const plan = plans.get(key);
    const noted = waits.get(key);
    if (plan === undefined && noted === undefined) continue;
    const wait = noted && waitSeenAt(noted, ports.clock.now());
    const requests = plan ? await followPlan(ports, plan) : [];
    steps.push(...stepsOfCommand(command, { plan, wait, requests }));
  }
  return [...(await withCause(ports, steps))];
}

/** The steps of a product, by the target and the product's other names: the names in its creation, and its ID. */
async function stepsByTarget(ports: TracePorts, storeClientId: string, target: string): Promise<TraceStep[]> {
  const { targets, listings } = await namesOfProduct(ports.listings, storeClientId, target);
  const known = await withReasons(ports, storeClientId, listings);
  const own = known.flatMap(([one, why], index) =>
    stepsOfListing(index === 0 ? one : { ...one, createdAt: undefined }, why),
  );
  const commands = await mapConcurrently(targets, READS_AT_A_TIME, (one) =>
    lastCommandSteps(ports, storeClientId, one),
  );
  const batches = await batchSteps(ports, own, targets);
  const rejected = await mapConcurrently(targets, READS_AT_A_TIME, (value) =>
    rejectedSteps(ports, storeClientId, 'target', value),
  );
  const shown = [...own, ...batches, ...commands.flat()];
  return [...shown, ...withoutRows(rejected.flat(), shown)];
}

/** The last rejections of an order or a product. */
async function rejectedSteps(
  { rejections }: Pick<TracePorts, 'rejections'>,
  storeClientId: string,
  name: RejectionKeyName,
  value: string,
): Promise<TraceStep[]> {
  const about = { name, value };
  const page = { about, newestFirst: true, limit: MOST_OF_SUBJECT };
  return (await rejections.list(storeClientId, page)).rejections.flatMap(stepsOfRejection);
}

/** Leaves out rejections that the steps of batches show. */
function withoutRows(rejected: readonly TraceStep[], steps: readonly TraceStep[]): TraceStep[] {
  const keyOf = ({ batchId, rowIndex, code }: TraceStep) => JSON.stringify([batchId, rowIndex, code]);
  const shown = new Set(steps.filter(({ what }) => what === 'row.rejected').map(keyOf));
  return rejected.filter((step) => step.batchId === undefined || !shown.has(keyOf(step)));
}

/** The steps of the batches that `steps` name, with the rejected rows of the targets. */
async function batchSteps(
  { batches }: TracePorts,
  steps: readonly TraceStep[],
  targets: readonly string[],
): Promise<TraceStep[]> {
  const own = new Set(targets);
  const ids = [...new Set(steps.flatMap(({ batchId }) => batchId ?? []))].slice(0, MOST_BATCHES);
  const found = await Promise.all(ids.map((batchId) => batches.get(batchId)));
  return found.flatMap((batch) =>
    batch ? stepsOfBatch(batch, (row) => targetsOf(row).some((target) => own.has(target))) : [],
  );
}

async function stepsByBatch(ports: TracePorts, batchId: string): Promise<TraceStep[]> {
  const found = await ports.batches.get(batchId);
  // Only a summary has named this ID. The batch that it was matched to has another ID.
  const matched = found?.matchedTo === undefined ? undefined : await ports.batches.get(found.matchedTo);
  const batch = matched ?? found;
  if (batch === undefined) return [];
  const { attemptId, storeClientId = '' } = batch;
  const request = attemptId === undefined ? undefined : await ports.requests.get(attemptId);
  const commands = request?.commands.slice(0, MOST_COMMANDS) ?? [];
  return [...commands.flatMap((command) => givenSteps(storeClientId, command)), ...stepsOfBatch(batch)];
}
