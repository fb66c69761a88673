import type { RequestArchive } from '../../batches/ports.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { mayBeOfRows, meaningOf } from '../../marketplace/failures.ts';
import type { Rejection } from '../../rejections/model.ts';
import { type Store, unknownStore } from '../../stores/model.ts';
import { storeNotConnected } from '../../stores/use-cases/for-connected-store.ts';
import type { EpochMs } from '../../time/times.ts';
import { tooFarAhead } from '../../time/too-far-ahead.ts';
import type { Domain } from '../domain.ts';
import { type Command, type CommandPlan, contentDigest, planKey, type RequestRecord } from '../model.ts';
import type { LedgerPorts } from '../ports.ts';
import { discardedFault, isCommandDiscarded, outOfTime, REUSED_ID } from '../rules/deferral.ts';
import type { CommandFault } from '../rules/rejection.ts';
import { planCommands } from './plan-commands.ts';
import { reject, reportPlanned } from './report-planned.ts';
import { type RequestTime, type Run, runRequest, touchRequest } from './run-request.ts';

export interface CommandEnd {
  readonly requests: readonly RequestRecord[];
  /** Rejections that this delivery reported before anything was sent. */
  readonly rejections: readonly Rejection[];
  /** Why the command's other requests did not end. */
  readonly error?: unknown;
}

/**
 * Performs commands of one store: plans them, then runs each planned request. Idempotent per command: a later delivery
 * continues the requests that have not ended. Commands that are planned together share requests.
 *
 * @param time until when requests are begun.
 * @returns the end of each command. The function never throws: a command's `error` says why it has not ended.
 */
export async function performCommands<C extends Command>(
  given: LedgerPorts,
  domain: Domain<C>,
  commands: readonly C[],
  time: RequestTime,
): Promise<ReadonlyMap<C, CommandEnd>> {
  const ports: LedgerPorts = { ...given, archive: handedOn(given.archive) };
  const ends = new Map<C, CommandEnd>();
  try {
    const progress = { time, ends, plans: new Map() };
    // Commands with the same ID run one after the other: deliveries of one command, or two commands that share an ID by mistake.
    for (let left = commands; left.length > 0; ) {
      const firsts = new Set([...Map.groupBy(left, planKey).values()].flatMap(([first]) => first ?? []));
      await performDistinct(ports, domain, [...firsts], progress);
      left = left.filter((command) => !firsts.has(command));
    }
  } catch (error) {
    for (const command of commands) if (!ends.has(command)) ends.set(command, { ...NOTHING, error });
  }
  return ends;
}

/** An archive for one invocation. It remembers what was written or read, so that nothing is read twice. */
function handedOn(archive: RequestArchive): RequestArchive {
  const known = new Map<string, unknown[]>();
  return {
    put: async (requestKey, rows) => {
      await archive.put(requestKey, rows);
      known.set(requestKey, [...rows]);
    },
    get: async (requestKey) => {
      const rows = known.get(requestKey) ?? (await archive.get(requestKey));
      if (rows !== undefined) known.set(requestKey, rows);
      return rows;
    },
  };
}

const NOTHING = { requests: [], rejections: [] };

interface Progress<C> {
  readonly time: RequestTime;
  readonly ends: Map<C, CommandEnd>;
  /** Plans read or stored by this invocation, by `planKey`. */
  readonly plans: Map<string, CommandPlan>;
}

async function performDistinct<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  commands: readonly C[],
  progress: Progress<C>,
): Promise<void> {
  const { time, ends, plans } = progress;
  const [first] = commands;
  const store = first && (await ports.stores.get(first.storeClientId));
  for (const [key, plan] of await ports.requests.getPlans(commands.map(planKey))) plans.set(key, plan);
  const fresh = commands.filter((command) => !plans.has(planKey(command)));
  await planFresh(ports, domain, fresh, store, progress);
  // Another command with the same ID may have a plan already: an earlier one, or one of another invocation.
  const open = commands.filter((command) => !ends.has(command));
  const planned = await rejectReused(ports, domain, open, progress);
  const rejections = await reportPlanned(ports, domain, planned, plans);
  const recordIdsOf = (command: C) => plans.get(planKey(command))?.recordIds ?? [];
  const recordIds = new Set(planned.flatMap(recordIdsOf));
  const ended = store
    ? await runAll(ports, domain, recordIds, { store, time, plans })
    : withoutStore(recordIds, first?.storeClientId ?? '');
  for (const command of planned) {
    const requests = recordIdsOf(command).flatMap((recordId) => ended.get(recordId) ?? []);
    const failed = requests.find(({ error }) => error !== undefined);
    ends.set(command, {
      requests: requests.flatMap(({ records }) => records),
      rejections: rejections.get(command) ?? [],
      ...(failed && { error: failed.error }),
    });
  }
}

/**
 * Rejects each command whose ID belongs to another command according to the stored plan. A redelivered event is the same command
 * even if another version of the connector reads the event differently.
 *
 * @returns the commands that were not rejected.
 */
async function rejectReused<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  commands: readonly C[],
  { plans, ends }: Progress<C>,
): Promise<C[]> {
  const own: C[] = [];
  for (const command of commands) {
    const { eventId, digest }: Partial<CommandPlan> = plans.get(planKey(command)) ?? {};
    const isSame = digest === undefined || eventId === command.eventId || digest === contentDigest(command);
    if (isSame) own.push(command);
    else {
      const rejections = [await reject(ports, domain, command, REUSED_ID)];
      ends.set(command, { ...NOTHING, rejections });
    }
  }
  return own;
}

/**
 * Plans commands that have no plan yet. A command that must not begin is rejected by its plan, or waits. A plan has no effect
 * before it is stored: another delivery may have made a different plan, for example because the store was connected or its work
 * was discarded in between.
 */
async function planFresh<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  commands: readonly C[],
  store: Store | undefined,
  { time, ends, plans }: Progress<C>,
): Promise<void> {
  const now = ports.clock.now();
  const toPlan: C[] = [];
  const wait = (command: C, error: unknown) => ends.set(command, { ...NOTHING, error });
  await forEachConcurrently(commands, AT_A_TIME, async (command) => {
    const fault = faultBefore(command, store, now) ?? domain.faultOf?.(command);
    if (fault !== undefined) plans.set(planKey(command), await planNothing(ports, command, fault));
    else if (store !== undefined && store.state !== 'connected') wait(command, storeNotConnected(store));
    else if (time.isOver) wait(command, outOfTime(command.commandId));
    else toPlan.push(command);
  });
  if (store === undefined) return;
  for (const [key, plan] of await planCommands(ports, domain, toPlan, store)) plans.set(key, plan);
}

/** Why a command is rejected before the domain checks it. */
function faultBefore(command: Command, store: Store | undefined, now: EpochMs) {
  if (store === undefined) return unknownStore(command.storeClientId);
  if (isCommandDiscarded(store, command)) return discardedFault(store);
  return tooFarAhead(command.time, now);
}

/** Stores the plan of a command that is rejected whole. Returns the stored plan, which may be another delivery's. */
function planNothing(
  { requests, clock }: LedgerPorts,
  command: Command,
  { code, message, field, details }: CommandFault,
): Promise<CommandPlan> {
  const plannedAt = new Date(clock.now()).toISOString();
  const content = { eventId: command.eventId, digest: contentDigest(command) };
  const fault = { code, message, ...definedOf({ field, details: details && { ...details } }) };
  return requests.putPlan(planKey(command), { recordIds: [], rejected: 1, fault, plannedAt, ...content });
}

/** The ended parts of a request: itself, or its halves. `error` says why another part did not end. */
interface RequestEnd {
  readonly records: readonly RequestRecord[];
  readonly error?: unknown;
}

/** Another delivery has planned the requests, but this one did not find the store. A later delivery will find it. */
function withoutStore(
  recordIds: ReadonlySet<string>,
  storeClientId: string,
): ReadonlyMap<string, RequestEnd> {
  const { message } = unknownStore(storeClientId);
  const error = new ConnectorError(message, { code: 'STORE_NOT_CONNECTED', retryable: true });
  return new Map([...recordIds].map((recordId) => [recordId, { records: [], error }]));
}

async function runAll<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  recordIds: ReadonlySet<string>,
  run: Run,
): Promise<ReadonlyMap<string, RequestEnd>> {
  const ends = new Map<string, RequestEnd>();
  let stopped: unknown;
  for (const recordId of recordIds) {
    const records: RequestRecord[] = [];
    try {
      if (stopped !== undefined) throw stopped;
      await runRequest(ports, domain, recordId, run, records);
      ends.set(recordId, { records });
    } catch (error) {
      ends.set(recordId, { records, error });
      if (affectsAllRequests(error)) stopped = error;
      await touchRequest(ports, recordId);
    }
  }
  return ends;
}

/** Whether the store's other requests would fail for the same reason. */
function affectsAllRequests(error: unknown): boolean {
  // A refusal may concern only one product or order. If the marketplace refuses all requests, the limiter stops them.
  if (error instanceof MarketplaceError) {
    const meaning = meaningOf(error);
    return meaning !== 'refused' && !(meaning === 'not-now' && mayBeOfRows(error));
  }
  return (
    error instanceof ConnectorError && (error.code === 'STORE_NOT_CONNECTED' || error.code === 'OUT_OF_TIME')
  );
}
