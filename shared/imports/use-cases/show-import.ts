import type { BatchRecord } from '../../batches/model.ts';
import type { FileReceipt, FileReceiptTable } from '../../changes/file-receipts.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { messageIdOf } from '../../correlation/file-message-id.ts';
import type { Rejection, RejectionTable } from '../../rejections/model.ts';
import { planKey } from '../../requests/model.ts';
import {
  type FollowCommandPorts,
  type FollowedRequest,
  followPlan,
  rowResultsOf,
} from '../../trace/follow-command.ts';
import { placeOfKey } from '../file/announced-file.ts';
import { type FullFile, type ImportRecord, type ImportView, sumOf } from '../model.ts';

export interface ShowImportPorts extends FollowCommandPorts {
  readonly rejections: Pick<RejectionTable, 'listOf'>;
  readonly receipts: Pick<FileReceiptTable, 'list'>;
}

/** Commands read at a time. */
const CONCURRENCY = 20;

type Rows = NonNullable<ImportView['rows']>;

type Reading = NonNullable<ImportRecord['reading']>;

/**
 * A file with the outcome of its rows. A row of a catalog is accepted by the marketplace; its outcome is found by the
 * requests of its command. A row of stock or prices is accepted when it was merged into its listing. A row of a dry run is
 * accepted when it is valid.
 */
export async function showImport(ports: ShowImportPorts, file: ImportRecord): Promise<ImportView> {
  const { reading, progress: _, spentTries: __, announced: ___, full, numbers, ...facts } = file;
  const { kind, isDryRun } = placeOfKey(file.key);
  const about = {
    ...facts,
    ...(isDryRun ? { dryRun: true as const } : definedOf({ full: full && shownOf(full) })),
  };
  if (reading === undefined) return { ...about, state: 'reading', since: facts.startedAt, batches: [] };
  const outcome = new Outcome(reading);
  if (isDryRun) outcome.addTaken({ rows: reading.sent, rejected: {} });
  else if (kind === 'catalog') await addCommands(ports, file, reading, outcome);
  else for (const receipt of await ports.receipts.list(file.importId)) outcome.addTaken(receipt);
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

/** The state of an import while the listings that it does not name are worked on, and afterwards. */
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
  await forEachConcurrently(commands, CONCURRENCY, async (commandId) => {
    const key = planKey({ ...file, commandId, detailType: 'catalog.sync.requested' });
    const plan = (await ports.requests.getPlans([key])).get(key);
    if (plan === undefined) return outcome.addUnplanned();
    const rejections = plan.rejected > 0 ? await ports.rejections.listOf(commandId) : [];
    // Rows of batches are counted with their batch.
    const unsent = rejections.filter(({ batchId }) => batchId === undefined);
    outcome.add(commandId, await followPlan(ports, plan), unsent);
  });
}

/** The outcome of the queued rows. */
class Outcome {
  /** By `batchId`. */
  readonly batches = new Map<string, ImportView['batches'][number]>();
  /** ISO 8601: when the file was read, or the last batch ended. */
  endedAt: string;
  readonly #rejected: Record<string, number>;
  #accepted = 0;
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
  addTaken({ rows, rejected }: Pick<FileReceipt, 'rows' | 'rejected'>): void {
    this.#accepted += rows - sumOf(rejected);
    for (const [code, count] of Object.entries(rejected)) this.#reject(code, count);
  }

  addUnplanned(): void {
    this.#unplanned += 1;
  }

  /** Adds a planned command. `rejections`: of rows without a request, and of the whole command. */
  add(commandId: string, requests: readonly FollowedRequest[], rejections: readonly Rejection[]): void {
    for (const { batch } of requests) if (batch !== undefined) this.#addBatch(batch);
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

  #addBatch({ batchId, kind, state, rows, completedAt }: BatchRecord): void {
    this.batches.set(batchId, { batchId, ...definedOf({ kind }), state, rows });
    if (completedAt !== undefined && completedAt > this.endedAt) this.endedAt = completedAt;
  }

  rowsOf({ rows: read, sent }: Reading): Rows {
    // A rejected command does not say how many rows it has: all rows that no other command has.
    if (this.#whole !== undefined && this.#unplanned === 0) {
      this.#reject(this.#whole, sent - this.#seen);
      this.#seen = sent;
    }
    const rejected = this.#rejected;
    const open = read - this.#accepted - sumOf(rejected);
    return { read, sent, accepted: this.#accepted, rejected, open };
  }

  stateOf({ accepted, rejected, open }: Rows, isAtFault: boolean): ImportView['state'] {
    if (open > this.#unresolved) return 'open';
    if (open > 0) return 'unresolved';
    if (accepted === 0) return 'failed';
    return isAtFault || sumOf(rejected) > 0 ? 'completed_with_errors' : 'completed';
  }

  #reject(code: string, rows: number): void {
    if (rows > 0) this.#rejected[code] = (this.#rejected[code] ?? 0) + rows;
  }
}
