import type { FileReceiptTable } from '../../changes/file-receipts.ts';
import { chunk } from '../../collections/packer.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import type { Store } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import { waitByAgeMs } from '../../time/waits.ts';
import type { ImportQueue } from '../import-message.ts';
import type { FullFile, ImportRecord } from '../model.ts';
import type { FileEvent, FileRowQueue, ImportTable, StockPage, StoreListings } from '../ports.ts';
import { compare, decided, missingOf } from '../rules/full-comparison.ts';
import { versionFieldOf } from './file-messages.ts';

export interface WalkPorts {
  readonly imports: Pick<ImportTable, 'update'>;
  readonly storeListings: Pick<StoreListings, 'stockPage'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Thrown so that the message is redelivered: the other invocation may still fail. */
export function overtaken(importId: string): ConnectorError {
  const message = `another invocation has worked further on the import ${importId}`;
  return new ConnectorError(message, { code: 'IMPORT_OVERTAKEN', retryable: true });
}

type WalkEnd = 'done' | 'out of time';

/**
 * Counts the store's listings for a file under `full/` in the state `counting`. Does nothing for any other file.
 *
 * @param stopAt epoch ms: after it no further page is read.
 * @throws ConnectorError `IMPORT_OVERTAKEN`, and the errors of the ports.
 */
export async function countKnown(
  ports: WalkPorts,
  record: ImportRecord,
  store: Store,
  stopAt: EpochMs,
): Promise<WalkEnd> {
  if (record.full?.state !== 'counting') return 'done';
  return walk(ports, { record, store, stopAt }, async (full, listings, isLast) => ({
    ...full,
    known: full.known + listings.length,
    state: isLast ? 'reading' : 'counting',
  }));
}

/**
 * Goes through the listings of a store page by page. After each page the import's record stores the result of `step` and
 * the last target. Another invocation continues from there.
 */
async function walk(
  { imports, storeListings, clock }: WalkPorts,
  {
    record: { importId, full },
    store: { storeClientId, names },
    stopAt,
  }: { readonly record: ImportRecord; readonly store: Store; readonly stopAt: EpochMs },
  step: (full: FullFile, listings: StockPage['listings'], isLast: boolean) => Promise<FullFile>,
): Promise<WalkEnd> {
  let current = full;
  while (current !== undefined) {
    const { after, name = names.products, ...before } = current;
    const page = await storeListings.stockPage(storeClientId, name, after);
    const isLast = page.next === undefined;
    const stepped = await step({ ...before, name }, page.listings, isLast);
    const next = isLast ? stepped : { ...stepped, after: page.next };
    if (!(await advance(imports, importId, current, next))) throw overtaken(importId);
    if (isLast) return 'done';
    if (clock.now() >= stopAt) return 'out of time';
    current = next;
  }
  return 'done';
}

/** Records the next state of a file; `false` if another invocation has recorded one since. */
async function advance(
  imports: Pick<ImportTable, 'update'>,
  importId: string,
  from: FullFile,
  to: FullFile,
): Promise<boolean> {
  let isOwn = false;
  await imports.update(importId, (current) => {
    isOwn = current?.full?.state === from.state && current.full.after === from.after;
    return isOwn && current ? { ...current, full: to } : undefined;
  });
  return isOwn;
}

export interface ContinueFullPorts extends WalkPorts {
  readonly imports: Pick<ImportTable, 'update' | 'get'>;
  readonly stores: Pick<StoreTable, 'get'>;
  readonly receipts: Pick<FileReceiptTable, 'pages'>;
  readonly queue: FileRowQueue;
  readonly importQueue: ImportQueue;
}

export interface ContinueFullOptions {
  /** After it no further page of listings is read. */
  readonly stopAt: EpochMs;
  /** Whether an operator has released the file. */
  readonly isReleased?: boolean | undefined;
}

/**
 * Works on the listings that a file under `full/` does not name, after the file was read to its end: waits until
 * change-intake has taken the file's rows, and counts these listings. If they are too many, the file is held; otherwise their stock
 * becomes 0 at the file's version. A listing whose stock has the file's version or a newer version was named by a row or by a newer
 * change. A product that was created after the file, and has no stock yet, is left alone.
 *
 * @returns the state in which it leaves the file; `undefined` for an unknown import.
 * @throws ConnectorError `IMPORT_OVERTAKEN`, and the errors of the ports.
 */
export async function continueFull(
  ports: ContinueFullPorts,
  importId: string,
  { stopAt, isReleased }: ContinueFullOptions,
): Promise<FullFile['state'] | undefined> {
  for (;;) {
    const record = await ports.imports.get(importId);
    const store = record && (await ports.stores.get(record.storeClientId));
    if (record?.full === undefined || store === undefined) return undefined;
    const { state } = record.full;
    let end: WalkEnd = 'done';
    if (state === 'waiting') {
      if (!(await leaveWaiting(ports, record))) return state;
    } else if (state === 'comparing') {
      end = await walk(ports, { record, store, stopAt }, async (full, listings, isLast) => {
        const compared = compare(full, listings, missingOf(full, listings, record));
        return isLast ? decided(compared, ports.clock.now()) : compared;
      });
    } else if (state === 'zeroing') {
      end = await walk(ports, { record, store, stopAt }, (full, listings, isLast) =>
        zeroed(ports.queue, record, full, missingOf(full, listings, record), isLast),
      );
    } else if (state === 'held' && isReleased) {
      const { hold: _, ...full } = record.full;
      await advance(ports.imports, importId, full, { ...full, state: 'zeroing' });
    } else return state;
    if (end === 'out of time') {
      await ports.importQueue.send({ importId });
      return state;
    }
  }
}

/** The wait before the receipts of change-intake are read again, by the time since the file was read. */
const waitForIntake = { share: 0.25, shortestMs: 1_000, longestMs: 900_000 };

/** Ends the state `waiting` if change-intake has taken all rows; otherwise looks again later. */
async function leaveWaiting(
  { imports, importQueue, receipts, clock }: ContinueFullPorts,
  { importId, putAt, reading, full }: ImportRecord,
): Promise<boolean> {
  if (full === undefined || reading === undefined) return false;
  let taken = 0;
  // A listing that refused a row for its kind of version would refuse the zero too. For other refused rows the listing is not known.
  let refused = false;
  for await (const page of receipts.pages(importId)) {
    taken += page.reduce((sum, { rows }) => sum + rows, 0);
    const codes = page.flatMap(({ rejected }) => Object.keys(rejected));
    refused ||= codes.some((code) => code !== 'VERSION_KIND');
  }
  if (taken < reading.sent) {
    const waited = clock.now() - Date.parse(reading.endedAt);
    await importQueue.send({ importId }, waitByAgeMs(waited, waitForIntake));
    return false;
  }
  const { version = { kind: 'time' as const, value: Date.parse(putAt) } } = full;
  const isSparedIncomplete = full.isSparedIncomplete || refused;
  await advance(imports, importId, full, { ...full, version, isSparedIncomplete, state: 'comparing' });
  return true;
}

const ZEROS_PER_MESSAGE = 100;

/** Sets stock to 0 at the file's version. */
async function zeroed(
  queue: FileRowQueue,
  { importId, storeClientId, putAt }: ImportRecord,
  full: FullFile,
  targets: readonly string[],
  isLast: boolean,
): Promise<FullFile> {
  const events = chunk(targets, ZEROS_PER_MESSAGE).map((some, index): FileEvent => {
    const items = some.map((target) => ({ ...fieldsOfTarget(target), stock: 0 }));
    return {
      id: `${importId}/zero/${full.zeroed + index * ZEROS_PER_MESSAGE}`,
      time: Date.parse(putAt),
      detailType: 'stock.changed',
      detail: { storeClientId, ...(full.version && versionFieldOf(full.version)), items },
    };
  });
  await queue.send(events);
  return { ...full, zeroed: full.zeroed + targets.length, state: isLast ? 'ended' : 'zeroing' };
}
