import { requestKeyOf } from '../../batches/model.ts';
import type { RequestArchive } from '../../batches/ports.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { halvesOf } from '../../marketplace/failures.ts';
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
 * two deliveries plan a command at once, the first stored plan counts: they may differ, for example because the names of the
 * store have changed in between.
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
  // Once for each command: a large one has many requests.
  const planned = new Map<C, PlannedCommand>();
  await forEachConcurrently(commands, AT_A_TIME, async (command) => {
    const own = await archiveRejections(ports, ownRejections(command, rejections), plannedAt);
    planned.set(command, withPlan(command, recordIdsOf(command), own));
  });
  await forEachConcurrently(drafts, AT_A_TIME, async (draft) => {
    const record = recordOf(domain, draft, store.storeClientId, plannedAt, planned);
    const items = draft.rows.map(({ item }) => item);
    if (record.requestKey !== undefined) await ports.archive.put(record.requestKey, items);
    await ports.requests.update(record.recordId, (current) => (current === undefined ? record : undefined));
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

/** Stores the rejections of a command's rows, to be reported once its plan is stored. */
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

/** Most orders and products by which one command is found. */
const MOST_SUBJECTS = 25;

/** The IDs under which a command is found beside its own: its event's, and those of the orders and products that it is about. */
export function aliasesOf<C extends Command>(
  commands: readonly C[],
  subjectsOf: (command: C) => readonly string[] = () => [],
): Alias[] {
  return commands.flatMap((command) => {
    const { eventId, storeClientId, commandId, detailType } = command;
    const subjects = subjectsOf(command).slice(0, MOST_SUBJECTS);
    const ids = subjects.map((subject) => subjectId(storeClientId, subject));
    if (eventId !== commandId) ids.push(eventId);
    return ids.map((id) => ({ id, command: { storeClientId, commandId, detailType } }));
  });
}

/** The rejections of one of several commands. Two kinds of command may use the same `commandId`. */
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

function planOf(
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

/**
 * Keeps only the rows of commands whose plan names the request, which must never have been sent. A delivery that crashed
 * before it stored a plan left it in the request: it is stored now.
 *
 * @param plans those that were read or stored by this invocation, by `planKey`. A plan never changes.
 * @returns `undefined` if no row is left.
 */
export async function confirmRows(
  ports: LedgerPorts,
  record: RequestRecord,
  plans: ReadonlyMap<string, CommandPlan>,
): Promise<RequestRecord | undefined> {
  const { storeClientId, recordId, commands } = record;
  if (commands.length === 1) return record;
  const keys = commands.map((command) => planKey({ ...command, storeClientId }));
  const unread = keys.filter((key) => !plans.has(key));
  const known = unread.length === 0 ? plans : new Map([...plans, ...(await ports.requests.getPlans(unread))]);
  const own = new Set<number>();
  await forEachConcurrently([...commands.entries()], AT_A_TIME, async ([position, command]) => {
    const key = keys[position] ?? '';
    const plan = known.get(key) ?? (await ports.requests.putPlan(key, planOf(command, record.createdAt)));
    if (plan.recordIds.includes(recordId)) own.add(position);
  });
  return own.size === commands.length ? record : narrow(ports, record, own);
}

/** Removes the rows of other commands. Plans never change, so every invocation has the same result. */
async function narrow(
  { requests, archive }: LedgerPorts,
  record: RequestRecord,
  own: ReadonlySet<number>,
): Promise<RequestRecord | undefined> {
  const kept = [...own].toSorted((a, b) => a - b);
  const isKept = ({ command }: RequestRecord['rows'][number]) => own.has(command);
  const rows = record.rows.filter(isKept).map((row) => ({ ...row, command: kept.indexOf(row.command) }));
  if (rows.length === 0) return undefined;
  const requestKey = record.requestKey && `${record.requestKey}.own`;
  if (requestKey !== undefined) {
    const items = await keptRows(archive, record);
    await archive.put(
      requestKey,
      items.filter((_, position) => record.rows.some((row, index) => index === position && isKept(row))),
    );
  }
  const commands = record.commands.filter((_, position) => own.has(position));
  return requests.update(record.recordId, (current) =>
    current?.tries === 0 && current.commands.length === record.commands.length
      ? { ...current, commands, rows, ...(requestKey !== undefined && { requestKey }) }
      : undefined,
  );
}

/** The rows of a request as they are sent; `undefined` after the archive's retention. */
export async function rowsOf(
  archive: Pick<RequestArchive, 'get'>,
  { requestKey, rows }: Pick<RequestRecord, 'requestKey' | 'rows'>,
): Promise<unknown[] | undefined> {
  if (requestKey !== undefined) return archive.get(requestKey);
  return rows.map(({ command: _, index: __, fields, ...names }) => ({ ...names, ...fields }));
}

/** @throws {ConnectorError} ROWS_NOT_KEPT after the archive's retention. */
export async function keptRows(
  archive: Pick<RequestArchive, 'get'>,
  record: RequestRecord,
): Promise<unknown[]> {
  const items = await rowsOf(archive, record);
  if (items !== undefined) return items;
  throw new ConnectorError(`the rows of request ${record.recordId} are not archived`, {
    code: 'ROWS_NOT_KEPT',
  });
}

/** `recordId` of the halves of a request. */
export function halfIdsOf({ recordId }: Pick<RequestRecord, 'recordId'>): readonly [string, string] {
  return [`${recordId}.0`, `${recordId}.1`];
}

/** Stores both halves of a split request, if missing. They follow from its record: a crash before this loses no row. */
export async function recordHalves(
  { requests, archive }: Pick<LedgerPorts, 'requests' | 'archive'>,
  record: RequestRecord,
): Promise<void> {
  const parts = halvesOf([...record.rows.entries()]);
  for (const [index, recordId] of halfIdsOf(record).entries()) {
    if ((await requests.get(recordId)) !== undefined) continue;
    const { storeClientId, kind, commands, requestKey, uncertain, createdAt, touchedAt } = record;
    const part = parts[index] ?? [];
    const half: RequestRecord = {
      recordId,
      storeClientId,
      kind,
      commands,
      rows: part.map(([, row]) => row),
      ...(requestKey !== undefined && { requestKey: `${requestKey}.${index}` }),
      state: 'prepared',
      // Not 0: its rows are confirmed, and its commands were begun.
      tries: 1,
      uncertain,
      createdAt,
      touchedAt,
    };
    const items = requestKey && (await archive.get(requestKey));
    if (items && half.requestKey !== undefined) {
      await archive.put(
        half.requestKey,
        part.map(([position]) => items[position]),
      );
    }
    await requests.update(recordId, (known) => (known === undefined ? half : undefined));
  }
}
