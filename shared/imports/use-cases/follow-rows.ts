import type { BatchTable } from '../../batches/ports.ts';
import type { FileReceipt, FileReceiptTable, RejectedLine, TakenRows } from '../../changes/file-receipts.ts';
import { addCounts } from '../../collections/counts.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { AT_A_TIME, mapConcurrently } from '../../collections/for-each-concurrently.ts';
import { targetsOf } from '../../listings/rules/target.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import { waitByAgeMs } from '../../time/waits.ts';
import { placeOfKey } from '../file/announced-file.ts';
import type { ImportQueue } from '../import-message.ts';
import type { FollowedRows, ImportRecord } from '../model.ts';
import type { ImportTable, StoreListings } from '../ports.ts';
import { batchesOfRow, outcomeOfRow } from '../rules/row-outcome.ts';
import { type ReportRowsPorts, reportRows } from './report-rows.ts';

export interface FollowRowsPorts extends ReportRowsPorts {
  readonly imports: Pick<ImportTable, 'get' | 'update'>;
  readonly receipts: FileReceiptTable;
  readonly storeListings: Pick<StoreListings, 'getMany'>;
  readonly batches: Pick<BatchTable, 'get'>;
  readonly importQueue: ImportQueue;
  readonly clock: Pick<Clock, 'now'>;
}

/** The wait before the next look, by the time since the file was read. */
const waitForOutcomes = { share: 0.1, shortestMs: 1_000, longestMs: 900_000 };

/**
 * Looks at the outcome of the rows of a file of stock or prices that was read to its end, and looks again later until every row has an
 * outcome. Then the rows that were rejected after sending are added to its report. A message whose rows all have an outcome is not looked
 * at again: a newer value does not change the outcome of a row. A repeated look is harmless.
 *
 * @param stopAt epoch ms: no further message is looked at from then on
 * @returns whether every row has an outcome; `undefined` if the import is no longer followed.
 */
export async function followRows(
  ports: FollowRowsPorts,
  importId: string,
  stopAt: EpochMs,
): Promise<boolean | undefined> {
  const record = await ports.imports.get(importId);
  if (record?.reading === undefined || record.followed === undefined) return undefined;
  if (record.followed.endedAt !== undefined) return undefined;
  const look = new Look(ports, record, stopAt);
  const { isEnded, rejectedLines, followed } = await look.run();
  if (!isEnded) {
    const waited = ports.clock.now() - Date.parse(record.reading.endedAt);
    await ports.importQueue.send({ importId, isFollowed: true }, waitByAgeMs(waited, waitForOutcomes));
  }
  const report =
    isEnded && rejectedLines.length > 0 ? await reportRows(ports, record, rejectedLines, stopAt) : undefined;
  const endedAt = isEnded ? new Date(ports.clock.now()).toISOString() : undefined;
  await ports.imports.update(importId, (current) => {
    if (current?.reading === undefined || current.followed?.endedAt !== undefined) return undefined;
    const reading = { ...current.reading, ...definedOf({ report }) };
    return { ...current, reading, followed: { ...followed, ...definedOf({ endedAt }) } };
  });
  return isEnded;
}

/** Once this many messages have open rows, a look ends, to limit its reads. The messages after them were sent later. */
const MOST_OPEN = 100;
/** Most batches that are kept of an import. */
const MOST_BATCHES = 100;
/** Most rejected rows that its report may have. */
const MOST_REPORTED = 50_000;

/** One look at the rows of a file. */
class Look {
  readonly #ports: FollowRowsPorts;
  readonly #record: ImportRecord;
  readonly #kind: 'stock' | 'prices';
  readonly #stopAt: EpochMs;
  readonly #batches: Set<string>;
  readonly #rejected: Record<string, number> = {};
  readonly #lines: RejectedLine[] = [];
  #accepted = 0;
  #superseded = 0;
  /** Rows of messages that change-intake has taken. */
  #taken = 0;
  /** Whether the outcome of a taken row is not known. */
  #isOpen = false;
  /** Messages with open rows that were looked at. */
  #openMessages = 0;
  /** Messages of rejections by batch and target. */
  readonly #texts = new Map<string, Promise<ReadonlyMap<string, string>>>();

  constructor(ports: FollowRowsPorts, record: ImportRecord, stopAt: EpochMs) {
    this.#ports = ports;
    this.#record = record;
    this.#stopAt = stopAt;
    this.#kind = placeOfKey(record.key).kind === 'prices' ? 'prices' : 'stock';
    this.#batches = new Set(record.followed?.batches);
  }

  async run() {
    const { receipts, clock } = this.#ports;
    for await (const page of receipts.pages(this.#record.importId)) {
      const looked = await mapConcurrently(page, AT_A_TIME, (receipt) => this.#look(receipt));
      const ended = looked.filter((receipt, index) => receipt !== page[index]);
      if (ended.length > 0) await receipts.putAll(ended, clock.now());
      for (const receipt of looked) this.#count(receipt);
    }
    const followed: FollowedRows = {
      accepted: this.#accepted,
      superseded: this.#superseded,
      rejected: this.#rejected,
      batches: [...this.#batches].slice(0, MOST_BATCHES),
    };
    const isEnded = !this.#isOpen && this.#taken >= (this.#record.reading?.sent ?? 0);
    return { followed, isEnded, rejectedLines: this.#lines };
  }

  /** The receipt with the outcome of its rows, if all of them have one. */
  async #look(receipt: FileReceipt): Promise<FileReceipt> {
    const { open } = receipt;
    if (open === undefined) return receipt;
    if (this.#openMessages >= MOST_OPEN || this.#ports.clock.now() >= this.#stopAt) return receipt;
    const { storeClientId } = this.#record;
    const listings = await this.#ports.storeListings.getMany(storeClientId, open.targets);
    const outcomes = open.targets.map((target, index) =>
      outcomeOfRow(listings.get(target), this.#kind, open, open.values?.[index]),
    );
    for (const listing of listings.values()) {
      for (const batchId of batchesOfRow(listing, open)) this.#batches.add(batchId);
    }
    if (outcomes.includes('open')) {
      this.#openMessages += 1;
      return receipt;
    }
    return this.#endedOf(receipt, open, outcomes);
  }

  async #endedOf(
    { open: _, ...receipt }: FileReceipt,
    { targets, lines }: TakenRows,
    outcomes: readonly ReturnType<typeof outcomeOfRow>[],
  ): Promise<FileReceipt> {
    const ended = { accepted: 0, superseded: 0, rejected: {} as Record<string, number> };
    const rejectedLines = [...(receipt.rejectedLines ?? [])];
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome === 'accepted') ended.accepted += 1;
      else if (typeof outcome === 'string') ended.superseded += 1;
      else {
        const target = targets[index] ?? '';
        const message = await this.#textOf(outcome.batchId, target, outcome.code);
        addCounts(ended.rejected, { [outcome.code]: 1 });
        rejectedLines.push({ line: lines[index] ?? 0, target, code: outcome.code, message });
      }
    }
    return { ...receipt, ended, ...(rejectedLines.length > 0 && { rejectedLines }) };
  }

  /** The marketplace's message about a rejected row. */
  async #textOf(batchId: string | undefined, target: string, code: string): Promise<string> {
    const unsaid = `the marketplace has rejected the row with ${code}`;
    if (batchId === undefined) return unsaid;
    const texts = this.#texts.get(batchId) ?? this.#textsOf(batchId);
    this.#texts.set(batchId, texts);
    return (await texts).get(target) ?? unsaid;
  }

  async #textsOf(batchId: string): Promise<ReadonlyMap<string, string>> {
    const batch = await this.#ports.batches.get(batchId);
    return new Map(
      batch?.rejectedRows.flatMap((row) => targetsOf(row).map((target) => [target, row.message] as const)),
    );
  }

  #count({ rows, rejected, open, ended, rejectedLines = [] }: FileReceipt): void {
    this.#taken += rows;
    addCounts(this.#rejected, rejected);
    if (ended) addCounts(this.#rejected, ended.rejected);
    this.#accepted += ended?.accepted ?? 0;
    this.#superseded += ended?.superseded ?? 0;
    this.#isOpen ||= open !== undefined;
    this.#lines.push(...rejectedLines.slice(0, Math.max(0, MOST_REPORTED - this.#lines.length)));
  }
}
