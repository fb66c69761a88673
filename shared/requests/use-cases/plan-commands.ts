import { requestKeyOf } from '../../batches/rules/request-key.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { countRows, type Rejection } from '../../rejections/model.ts';
import type { Store } from '../../stores/model.ts';
import type { IsoTime } from '../../time/times.ts';
import type { Domain, PlannedRequest } from '../domain.ts';
import {
  type Command,
  type CommandPlan,
  contentDigest,
  planKey,
  type RequestRecord,
  subjectId,
} from '../model.ts';
import type { Alias, LedgerPorts } from '../ports.ts';

/**
 * Plans commands of one store: stores the requests and the rejections of rows that break a rule, then each command's plan. If
 * two deliveries plan a command at once, the plan that is stored first counts. The plans may differ, for example because the
 * names of the store have changed in between.
 *
 * @returns the stored plans, by `planKey`.
 */
export async function planCommands<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  commands: readonly C[],
  store: Store,
): Promise<ReadonlyMap<string, CommandPlan>> {
  const { requests, rejections } = domain.plan(commands, store);
  const plannedAt = new Date(ports.clock.now()).toISOString();
  const drafts = requests.map((request) => ({ ...request, recordId: ports.newId() }));
  const recordIdsOf = (command: C) =>
    drafts.filter(({ rows }) => rows.some((row) => row.command === command)).map(({ recordId }) => recordId);
  // Each command is stored in all of its requests, and a large command has many: compute its part once.
  const planned = new Map<C, PlannedCommand>();
  await forEachConcurrently(commands, AT_A_TIME, async (command) => {
    const own = await archiveRejections(ports, ownRejections(command, rejections), plannedAt);
    planned.set(command, withPlan(command, recordIdsOf(command), own));
  });
  await forEachConcurrently(drafts, AT_A_TIME, async (draft) => {
    const record = recordOf(domain, draft, store.storeClientId, plannedAt, planned);
    const items = draft.rows.map(({ item }) => item);
    if (record.requestKey !== undefined) await ports.archive.put(record.requestKey, items);
    await ports.requests.add(record);
  });
  const aliases = aliasesOf(commands, domain.lastingSubjectsOf);
  if (aliases.length > 0) await ports.requests.putAliases(aliases);
  const plans = new Map<string, CommandPlan>();
  await forEachConcurrently([...planned], AT_A_TIME, async ([command, copy]) => {
    const key = planKey(command);
    const plan = planOf(copy, plannedAt);
    plans.set(key, await ports.requests.putPlan(key, plan));
  });
  return plans;
}

/** Archives the rejections of a command's rows. They are reported once the command's plan is stored. */
async function archiveRejections(
  { archive, newId }: LedgerPorts,
  rejections: readonly Rejection[],
  plannedAt: IsoTime,
): Promise<Pick<PlannedCommand, 'rejected' | 'rejectionsKey'>> {
  if (rejections.length === 0) return {};
  const rejectionsKey = requestKeyOf(newId(), plannedAt);
  await archive.put(rejectionsKey, rejections);
  return { rejected: countRows(rejections), rejectionsKey };
}

/** A command is found by at most this many orders and products. */
export const MOST_SUBJECTS = 25;

/**
 * The further IDs under which a command is found: the ID of its event, and the IDs of the orders and products that it is about.
 *
 * @param most how many orders and products of one command get an ID.
 */
export function aliasesOf<C extends Command>(
  commands: readonly C[],
  subjectsOf: (command: C) => readonly string[] = () => [],
  most = MOST_SUBJECTS,
): Alias[] {
  return commands.flatMap((command) => {
    const { eventId, storeClientId, commandId, detailType } = command;
    const subjects = subjectsOf(command).slice(0, most);
    const ids = subjects.map((subject) => subjectId(storeClientId, subject));
    if (eventId !== commandId) ids.push(eventId);
    return ids.map((id) => ({ id, command: { storeClientId, commandId, detailType } }));
  });
}

/** Picks the rejections of one command. Two kinds of command may use the same `commandId`. */
function ownRejections({ commandId, detailType }: Command, rejections: readonly Rejection[]): Rejection[] {
  return rejections.filter((one) => one.commandId === commandId && one.detailType === detailType);
}

type PlannedCommand = RequestRecord['commands'][number];

/** A command as its requests store it. */
function withPlan(
  command: Command,
  recordIds: string[],
  rejections: Pick<PlannedCommand, 'rejected' | 'rejectionsKey'>,
): PlannedCommand {
  const { commandId, eventId, detailType, time, receivedAt, version, retryOf } = command;
  const facts = definedOf({ commandId, eventId, detailType, time, receivedAt, version, retryOf });
  return { ...facts, recordIds, ...rejections, digest: contentDigest(command) };
}

/** The plan of a command, as its requests have it too. */
export function planOf(
  { recordIds, rejected = 0, rejectionsKey, eventId, digest }: PlannedCommand,
  plannedAt: IsoTime,
): CommandPlan {
  return { recordIds, rejected, plannedAt, eventId, ...definedOf({ rejectionsKey, digest }) };
}

function recordOf<C extends Command>(
  { rowsInRecord = false }: Domain<C>,
  { kind, rows, recordId }: PlannedRequest<C> & { readonly recordId: string },
  storeClientId: string,
  createdAt: IsoTime,
  planned: ReadonlyMap<C, PlannedCommand>,
): RequestRecord {
  const commands = [...new Set(rows.map(({ command }) => command))];
  return {
    recordId,
    storeClientId,
    kind,
    commands: commands.flatMap((command) => planned.get(command) ?? []),
    rows: rows.map(({ command, index, names, item }) => ({
      ...names,
      command: commands.indexOf(command),
      index,
      ...(rowsInRecord && { fields: fieldsBeside(names, item) }),
    })),
    ...(!rowsInRecord && { requestKey: requestKeyOf(recordId, createdAt) }),
    state: 'prepared',
    tries: 0,
    uncertain: false,
    createdAt,
    touchedAt: createdAt,
  };
}

function fieldsBeside(names: object, item: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item as object).filter(([field]) => !(field in names)));
}
