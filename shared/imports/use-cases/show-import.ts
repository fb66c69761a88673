import type { BatchRecord } from '../../batches/model.ts';
import { addCounts, sumOf } from '../../collections/counts.ts';
import { definedOf } from '../../collections/defined-of.ts';
import {
  forEachConcurrently,
  mapConcurrently,
  READS_AT_A_TIME,
} from '../../collections/for-each-concurrently.ts';
import { eachPage } from '../../collections/page-request.ts';
import { messageIdOf } from '../../correlation/file-message-id.ts';
import { DEAD_LETTER_DELETED, type Rejection, type RejectionTable } from '../../rejections/model.ts';
import { planKey } from '../../requests/model.ts';
import type { IsoTime } from '../../time/times.ts';
import {
  type FollowCommandPorts,
  type FollowedRequest,
  followPlan,
  rowResultsOf,
} from '../../trace/follow-command.ts';
import { placeOfKey } from '../file/announced-file.ts';
import { type FollowedRows, type FullFile, type ImportRecord, notFollowed } from '../model.ts';
import type { ImportView } from '../view.ts';

export interface ShowImportPorts extends FollowCommandPorts {
  readonly rejections: Pick<RejectionTable, 'list' | 'listOf'>;
}

type Rows = NonNullable<ImportView['rows']>;

type Reading = NonNullable<ImportRecord['reading']>;

/**
 * A file with the outcome of its rows. The outcome of a row of a catalog is the marketplace's answer to the requests of its command. A
 * row of stock or prices has the outcome that `followRows` has seen. A row of a dry run is accepted when it is valid.
 */
export async function showImport(ports: ShowImportPorts, file: ImportRecord): Promise<ImportView> {
  const { reading, progress, spentTries: _, announced: __, full, numbers, followed, ...facts } = file;
  const { kind, isDryRun } = placeOfKey(file.key);
  const about = {
    ...facts,
    ...(isDryRun ? { dryRun: true as const } : definedOf({ full: full && shownOf(full) })),
  };
  if (reading === undefined) {
    const view: ImportView = { ...about, state: 'reading', since: facts.startedAt, batches: [] };
    if (progress === undefined) return view;
    const { sent, rejected, position } = progress;
    return { ...view, progress: { rows: sent + sumOf(rejected), bytes: position.offset } };
  }
  const outcome = new Outcome(reading);
  if (kind === 'catalog' && !isDryRun) await addCommands(ports, file, reading, outcome);
  // If an earlier version has read the file, its rows are not followed.
  else outcome.addFollowed(followed ?? { ...notFollowed, accepted: reading.sent });
  const batches = await mapConcurrently(followed?.batches ?? [], READS_AT_A_TIME, ports.batches.get);
  for (const batch of batches) if (batch !== undefined) outcome.addBatch(batch);
  if (outcome.rowsOf(reading).open > 0) outcome.rejectDeleted(reading, await deletedRows(ports, file));
  const rows = { ...outcome.rowsOf(reading), ...(isDryRun && { sent: 0 }) };
  const ofRows = outcome.stateOf(rows, reading.fault !== undefined);
  const hold = numbers?.hold ?? full?.hold;
  const state = numbers?.hold ? 'held' : isDryRun || full === undefined ? ofRows : stateWith(full, ofRows);
  const since = state === 'open' ? reading.endedAt : outcome.endedAt;
  return {
    ...about,
    state,
    since: hold?.since ?? since,
    rows,
    ...definedOf({ hold, fault: reading.fault, warnings: reading.warnings, report: reading.report }),
    batches: [...outcome.batches.values()],
  };
}

function shownOf({ state, known, missing, zeroed, hold, ...names }: FullFile): ImportView['full'] {
  const { missingNames, unknownNames } = hold ? names : {};
  return { state, known, missing, zeroed, ...definedOf({ hold, missingNames, unknownNames }) };
}

/** The state of an import during and after the work on the listings that its file does not name. */
function stateWith({ state }: FullFile, ofRows: ImportView['state']): ImportView['state'] {
  if (state === 'held') return 'held';
  return state === 'ended' || state === 'discarded' ? ofRows : 'open';
}

async function addCommands(
  ports: ShowImportPorts,
  file: ImportRecord,
  reading: Reading,
  outcome: Outcome,
): Promise<void> {
  const commands = Array.from({ length: reading.commands }, (_, number) =>
    messageIdOf(file.importId, number),
  );
  const keyOf = (commandId: string) => planKey({ ...file, commandId, detailType: 'catalog.sync.requested' });
  const plans = await ports.requests.getPlans(commands.map(keyOf));
  await forEachConcurrently(commands, READS_AT_A_TIME, async (commandId) => {
    const plan = plans.get(keyOf(commandId));
    if (plan === undefined) return outcome.addUnplanned();
    const rejections = plan.rejected > 0 ? await ports.rejections.listOf(commandId) : [];
    // Rows of batches are counted with their batch.
    const unsent = rejections.filter(({ batchId }) => batchId === undefined);
    outcome.add(commandId, await followPlan(ports, plan), unsent);
  });
}

/** Rows of messages of the file that an operator deleted as dead letters: they are not sent any more. */
async function deletedRows(
  { rejections }: Pick<ShowImportPorts, 'rejections'>,
  { storeClientId, importId }: ImportRecord,
): Promise<number> {
  const query = { about: { name: 'importId', value: importId }, code: DEAD_LETTER_DELETED } as const;
  const pages = await Array.fromAsync(
    eachPage((from) => rejections.list(storeClientId, { ...query, ...from })),
  );
  // The file's own message has no rows.
  const deleted = pages.flatMap((page) => page.rejections).filter(({ commandId }) => commandId !== importId);
  return deleted.reduce((sum, { subjects = [] }) => sum + Math.max(1, subjects.length), 0);
}

/** The outcome of the queued rows. */
class Outcome {
  /** By `batchId`. */
  readonly batches = new Map<string, ImportView['batches'][number]>();
  /** When the file was read, or the last batch ended. */
  endedAt: IsoTime;
  readonly #rejected: Record<string, number>;
  #accepted = 0;
  #superseded = 0;
  #unresolved = 0;
  #unplanned = 0;
  /** Rows that are in a request, or were rejected one by one. */
  #seen = 0;
  /** Code of the first command that was rejected whole. */
  #whole: string | undefined;

  constructor({ rejected, endedAt }: Reading) {
    this.#rejected = { ...rejected };
    this.endedAt = endedAt;
  }

  /** Adds rows without a command. */
  addFollowed({ accepted, superseded, rejected, endedAt }: FollowedRows): void {
    this.#accepted += accepted;
    this.#superseded += superseded;
    addCounts(this.#rejected, rejected);
    if (endedAt !== undefined) this.endedAt = endedAt;
  }

  addUnplanned(): void {
    this.#unplanned += 1;
  }

  /** Adds a planned command. `rejections` are those of rows without a request, and that of the whole command. */
  add(commandId: string, requests: readonly FollowedRequest[], rejections: readonly Rejection[]): void {
    for (const { batch } of requests) if (batch !== undefined) this.addBatch(batch);
    const rows = requests.flatMap((request) =>
      rowResultsOf(request).filter(
        ({ command }) => request.record.commands[command]?.commandId === commandId,
      ),
    );
    for (const { result } of rows) {
      if (result === 'accepted') this.#accepted += 1;
      else if (result === 'unresolved') this.#unresolved += 1;
      else if (result !== 'open') this.#reject(result.code, 1);
    }
    const requested = new Set<number | undefined>(rows.map(({ index }) => index));
    const others = rejections.filter(({ rowIndex }) => rowIndex !== undefined && !requested.has(rowIndex));
    for (const { code } of others) this.#reject(code, 1);
    this.#seen += rows.length + others.length;
    this.#whole ??= rejections.find(({ rowIndex }) => rowIndex === undefined)?.code;
  }

  addBatch({ batchId, kind, state, rows, completedAt }: BatchRecord): void {
    this.batches.set(batchId, { batchId, ...definedOf({ kind }), state, rows });
    if (completedAt !== undefined && completedAt > this.endedAt) this.endedAt = completedAt;
  }

  rowsOf({ rows: read, sent }: Reading): Rows {
    // A rejected command does not say how many rows it has. Its rows are the ones that no other command has.
    if (this.#whole !== undefined && this.#unplanned === 0) {
      this.#reject(this.#whole, sent - this.#seen);
      this.#seen = sent;
    }
    const rejected = this.#rejected;
    const [accepted, superseded] = [this.#accepted, this.#superseded];
    const open = read - accepted - superseded - sumOf(rejected);
    return { read, sent, accepted, ...(superseded > 0 && { superseded }), rejected, open };
  }

  stateOf({ accepted, superseded = 0, rejected, open }: Rows, isAtFault: boolean): ImportView['state'] {
    if (open > this.#unresolved) return 'open';
    if (open > 0) return 'unresolved';
    if (accepted + superseded === 0) return 'failed';
    return isAtFault || sumOf(rejected) > 0 ? 'completed_with_errors' : 'completed';
  }

  rejectDeleted(reading: Reading, rows: number): void {
    const { open } = this.rowsOf(reading);
    this.#reject(DEAD_LETTER_DELETED, Math.min(rows, open - this.#unresolved));
  }

  #reject(code: string, rows: number): void {
    if (rows > 0) addCounts(this.#rejected, { [code]: rows });
  }
}
