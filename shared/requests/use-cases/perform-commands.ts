import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { Rejection } from '../../rejections/model.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { Store } from '../../stores/model.ts';
import { unknownStore } from '../../stores/rules/unknown-store.ts';
import { futureFault } from '../../time/future.ts';
import type { Domain } from '../domain.ts';
import { type Command, type CommandPlan, planKey, type RequestRecord } from '../model.ts';
import { discardedFault, isDiscarded, outOfTime, storeNotConnected } from '../rules/deferral.ts';
import { type CommandFault, rejectionOfCommand } from '../rules/rejection.ts';
import { planCommands } from './plan-commands.ts';
import { RequestTime, type RunRequestPorts, runRequest, touchRequest } from './run-request.ts';

export type PerformCommandsPorts = RunRequestPorts;

/** How far a delivery of a command came. */
export interface CommandEnd {
  /** Its requests that have their end. */
  readonly requests: readonly RequestRecord[];
  /** What was rejected before anything was sent, by this delivery. */
  readonly rejections: readonly Rejection[];
  /** Why the rest of it did not end: retryable, or a fault. */
  readonly error?: unknown;
}

/**
 * Performs commands of one store, each once however often it is delivered: plan, then each request of the plan in turn.
 * Commands that are planned together share requests.
 *
 * @param time until when requests are begun; default without end.
 * @returns the end of each command; never throws for one of them.
 */
export async function performCommands<C extends Command>(
  ports: PerformCommandsPorts,
  domain: Domain<C>,
  commands: readonly C[],
  time = new RequestTime(ports.clock, Number.POSITIVE_INFINITY),
): Promise<ReadonlyMap<C, CommandEnd>> {
  const [first] = commands;
  const ends = new Map<C, CommandEnd>();
  if (first === undefined) return ends;
  try {
    const store = await ports.stores.get(first.storeClientId);
    const { toRun, plans, rejections } = await plan(ports, domain, distinct(commands), { store, time, ends });
    const ended = store && (await runAll(ports, domain, { toRun, plans, store, time }));
    for (const command of toRun) {
      const { recordIds = [] } = plans.get(planKey(command)) ?? {};
      const own = recordIds.map((recordId) => ended?.get(recordId));
      const failed = own.find((end) => end !== undefined && 'error' in end);
      ends.set(command, {
        requests: own.flatMap((end) => (end !== undefined && 'records' in end ? end.records : [])),
        rejections: rejections.filter(({ commandId }) => commandId === command.commandId),
        ...(failed !== undefined && 'error' in failed && { error: failed.error }),
      });
    }
  } catch (error) {
    for (const command of commands) if (!ends.has(command)) ends.set(command, { ...NOTHING, error });
  }
  // A command that was delivered twice at once ends as its first delivery.
  for (const command of commands) {
    const twin = commands.find((other) => planKey(other) === planKey(command));
    const end = twin && ends.get(twin);
    if (end !== undefined) ends.set(command, end);
  }
  return ends;
}

/** Commands that are rejected at a time. */
const REJECTED_AT_A_TIME = 10;
const NOTHING = { requests: [], rejections: [] };

/** What to run, with the plans of it, once those that are not to be begun have their end. */
async function plan<C extends Command>(
  ports: PerformCommandsPorts,
  domain: Domain<C>,
  commands: readonly C[],
  {
    store,
    time,
    ends,
  }: {
    readonly store: Store | undefined;
    readonly time: RequestTime;
    readonly ends: Map<C, CommandEnd>;
  },
): Promise<{ toRun: C[]; plans: ReadonlyMap<string, CommandPlan>; rejections: readonly Rejection[] }> {
  const plans = new Map(await ports.requests.getPlans(commands.map(planKey)));
  const fresh = commands.filter((command) => !plans.has(planKey(command)));
  const now = ports.clock.now();
  const toPlan: C[] = [];
  await forEachConcurrently(fresh, REJECTED_AT_A_TIME, async (command) => {
    const fault = faultBefore(command, store, now);
    if (fault !== undefined) ends.set(command, await reject(ports, domain, command, fault));
    else if (store?.state !== 'connected')
      ends.set(command, { ...NOTHING, error: store && storeNotConnected(store) });
    else if (time.isOver) ends.set(command, { ...NOTHING, error: outOfTime(command.commandId) });
    else toPlan.push(command);
  });
  const planned =
    store === undefined || toPlan.length === 0 ? undefined : await planCommands(ports, domain, toPlan, store);
  for (const [command, known] of planned?.plans ?? []) plans.set(planKey(command), known);
  return {
    toRun: commands.filter((command) => !ends.has(command)),
    plans,
    rejections: planned?.rejections ?? [],
  };
}

/** Why a command is not begun at all. */
function faultBefore(command: Command, store: Store | undefined, now: number) {
  if (store === undefined) return unknownStore(command.storeClientId);
  if (isDiscarded(store, command.time)) return discardedFault(store);
  return futureFault(command.time, now);
}

/** Rejects a command whole; its plan without requests says so to later deliveries. */
async function reject<C extends Command>(
  ports: PerformCommandsPorts,
  domain: Domain<C>,
  command: C,
  fault: CommandFault,
): Promise<CommandEnd> {
  const rejections = [(await domain.reject?.(command, fault)) ?? rejectionOfCommand(command, fault)];
  if (domain.reject === undefined) await reportRejections(ports, rejections);
  const plannedAt = new Date(ports.clock.now()).toISOString();
  await ports.requests.putPlan(planKey(command), { recordIds: [], rejected: 1, plannedAt });
  return { requests: [], rejections };
}

type RequestEnd = { readonly records: readonly RequestRecord[] } | { readonly error: unknown };

/** Runs the requests of all commands, each once, in the order of the commands. */
async function runAll<C extends Command>(
  ports: PerformCommandsPorts,
  domain: Domain<C>,
  {
    toRun,
    plans,
    store,
    time,
  }: {
    readonly toRun: readonly C[];
    readonly plans: ReadonlyMap<string, CommandPlan>;
    readonly store: Store;
    readonly time: RequestTime;
  },
): Promise<ReadonlyMap<string, RequestEnd>> {
  const ends = new Map<string, RequestEnd>();
  const run = { store, time };
  const recordIds = new Set(toRun.flatMap((command) => plans.get(planKey(command))?.recordIds ?? []));
  let stopped: unknown;
  for (const recordId of recordIds) {
    try {
      if (stopped !== undefined) throw stopped;
      ends.set(recordId, { records: await runRequest(ports, domain, recordId, run) });
    } catch (error) {
      ends.set(recordId, { error });
      if (isAboutAll(error)) stopped = error;
      await touchRequest(ports, recordId);
    }
  }
  return ends;
}

/** Whether the store's other requests would fail for the same reason: they are not tried. */
function isAboutAll(error: unknown): boolean {
  if (error instanceof MarketplaceError) return true;
  return (
    error instanceof ConnectorError && (error.code === 'STORE_NOT_CONNECTED' || error.code === 'OUT_OF_TIME')
  );
}

/** The commands, those that were delivered twice at once only once. */
function distinct<C extends Command>(commands: readonly C[]): C[] {
  return [
    ...new Map(commands.toReversed().map((command) => [planKey(command), command])).values(),
  ].toReversed();
}
