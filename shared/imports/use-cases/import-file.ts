import type { Readable } from 'node:stream';
import { definedOf } from '../../collections/defined-of.ts';
import { UNKNOWN_STORE } from '../../rejections/model.ts';
import { type Store, unknownStore } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import { waitByAgeMs } from '../../time/waits.ts';
import { importIdOf, isFolder, placeOfKey, readImportKey } from '../file/announced-file.ts';
import { isRow } from '../file/cut-rows.ts';
import { firstByteOf, inspectFile, readRows } from '../file/read-rows.ts';
import { FileFault, type FileFaultCode } from '../file/row.ts';
import type { ImportQueue } from '../import-message.ts';
import type { ImportRecord } from '../model.ts';
import type { AnnouncedFile, ImportFiles, StoreListings } from '../ports.ts';
import { readHints } from '../rules/file-hints.ts';
import { fileKinds } from '../rules/file-kinds.ts';
import { beginFull } from '../rules/full-rows.ts';
import { FilePart, type FilePartPorts } from './file-part.ts';
import { type FileFacts, reportFileFault } from './file-rejections.ts';
import { countKnown } from './full-file.ts';
import { leavePlace, type ReadingPlacePorts, takePlace } from './reading-place.ts';

export interface ImportFilePorts extends FilePartPorts, ReadingPlacePorts {
  readonly files: ImportFiles;
  readonly stores: Pick<StoreTable, 'get'>;
  readonly storeListings: Pick<StoreListings, 'stockPage'>;
  readonly importQueue: ImportQueue;
  readonly clock: Pick<Clock, 'now'>;
}

export interface ImportOptions {
  /** After it no further section is begun. */
  readonly stopAt: EpochMs;
  /** When the invocation is stopped, even in the middle of its work. */
  readonly endsAt: EpochMs;
  /** Queues the file for a later invocation, which reads the rest. Durable when it resolves. */
  readonly goOn: (delayMs?: number) => Promise<void>;
  /** Most rows in one section. Must be the same at each reading of a file. Default: 1,000. */
  readonly rowsPerSection?: number;
}

/** The result of one invocation. */
export interface ImportResult {
  readonly importId: string;
  /** Rows queued; in a dry run: valid ones. */
  readonly sent: number;
  /** Messages with these rows. */
  readonly messages: number;
  /** Rejected rows, plus one for a fault of the file. */
  readonly rejected: number;
  /** Whether the file was read to its end. Otherwise a later invocation reads the rest. */
  readonly isRead: boolean;
  /** Why the file was not read, or not to its end. */
  readonly fault?: FileFaultCode;
}

/**
 * Streams a file into events: a catalog into `catalog.sync.requested`, stock and prices into `stock.changed` and
 * `price.changed`. An invalid row is rejected alone; a fault of the file is a rejection too. The file is read in sections.
 * After each one the import's record keeps the position, from which a later invocation continues. The same section always
 * gives the same messages with the same IDs: a crash repeats at most one section. A dry run sends nothing.
 *
 * @returns `undefined` if an earlier delivery has read the file to its end, or if it is a folder that S3's console made.
 * @throws ConnectorError `IMPORT_OVERTAKEN` if another delivery has read the file further; the errors of the ports.
 */
export async function importFile(
  ports: ImportFilePorts,
  file: AnnouncedFile,
  options: ImportOptions,
): Promise<ImportResult | undefined> {
  if (isFolder(file.key)) return undefined;
  const place = placeOfKey(file.key);
  const facts: FileFacts = {
    ...file,
    ...place,
    importId: importIdOf(file),
    storeClientId: place.storeClientId ?? UNKNOWN_STORE,
  };
  await begin(ports, facts);
  const reader = { ...facts, until: options.endsAt };
  if (!(await takePlace(ports, reader))) {
    await options.goOn(waitByAgeMs(ports.clock.now() - Date.parse(facts.time), waitForPlace));
    return { importId: facts.importId, sent: 0, messages: 0, rejected: 0, isRead: false };
  }
  try {
    // Take the place before reading the record: a delivery that had the place may have read further, or added to the report.
    const begun = await ports.imports.get(facts.importId);
    if (begun === undefined) return undefined;
    if (begun.reading === undefined) return await readFile(ports, facts, begun, options);
    // Queue the further work again: a crash may have lost it.
    await continueRead(ports, facts, begun);
    return undefined;
  } finally {
    await leavePlace(ports, reader);
  }
}

/** How long a file waits before it tries to get a place again, by the time since it was put. */
const waitForPlace = { share: 0.25, shortestMs: 1_000, longestMs: 300_000 };

/** Reads a file for as long as the invocation has time. */
async function readFile(
  ports: ImportFilePorts,
  facts: FileFacts,
  begun: ImportRecord,
  options: ImportOptions,
): Promise<ImportResult> {
  const store = await ports.stores.get(facts.storeClientId);
  const part = new FilePart(ports, facts, begun, options.rowsPerSection);
  const end = await readPart(ports, part, { begun, store, ...options });
  if (end === 'out of time') {
    await options.goOn();
    return { ...part.result, isRead: false };
  }
  const ended = await part.endFile(end);
  if (ended) await continueRead(ports, facts, ended);
  const { rejected, ...result } = part.result;
  if (end === undefined) return { ...result, rejected, isRead: true };
  return { ...result, rejected: rejected + 1, isRead: true, fault: end.code };
}

/** After a file was read: reports the fault in its record, and queues further work on it. */
async function continueRead(ports: ImportFilePorts, facts: FileFacts, record: ImportRecord): Promise<void> {
  const { importId, full, followed } = record;
  await reportFileFault(ports, facts, record);
  if (full?.state === 'waiting') await ports.importQueue.send({ importId });
  if (followed !== undefined && followed.endedAt === undefined)
    await ports.importQueue.send({ importId, isFollowed: true });
}

/** The first delivery creates the import's record. */
async function begin(
  { imports, clock }: ImportFilePorts,
  { importId, storeClientId, bucket, key, time, isFull, isDryRun, ...facts }: FileFacts,
): Promise<void> {
  const startedAt = new Date(clock.now()).toISOString();
  const { eventId, etag, versionId, sequencer } = facts;
  // A dry run sends nothing, so that no listing has to be compared.
  const full = isFull ? { full: beginFull(isDryRun ? 'reading' : 'counting') } : {};
  await imports.update(importId, (current) =>
    current === undefined
      ? {
          importId,
          storeClientId,
          bucket,
          key,
          putAt: time,
          startedAt,
          announced: definedOf({ eventId, etag, versionId, sequencer }),
          ...full,
        }
      : undefined,
  );
}

/** A section may still end in this part of the time between `stopAt` and `endsAt`. */
const LAST_CHANCE = 0.75;
/** A file is given up after this many invocations without a whole section. */
const MOST_SPENT_TRIES = 2;

/**
 * Reads section by section until `stopAt`.
 *
 * @returns why it ended before the end of the file; `undefined` at the end of the file.
 */
async function readPart(
  ports: ImportFilePorts,
  part: FilePart,
  {
    begun,
    store,
    stopAt,
    endsAt,
  }: Pick<ImportOptions, 'stopAt' | 'endsAt'> & { begun: ImportRecord; store: Store | undefined },
): Promise<'out of time' | FileFault | undefined> {
  try {
    const type = readImportKey(part.facts.key);
    if (store === undefined) {
      throw new FileFault('STORE_UNKNOWN', unknownStore(part.facts.storeClientId).message);
    }
    const hints = readHints(present(await ports.files.metadata(part.facts)));
    const text = { ...type, encoding: hints.encoding };
    const lastChance = stopAt + LAST_CHANCE * (endsAt - stopAt);
    const isOutOfTime = () => ports.clock.now() >= lastChance;
    const kind = fileKinds[part.facts.kind];
    const isInspected =
      part.from !== undefined ||
      (await inspectFile(await open(ports, part.facts, 0), kind, text, isOutOfTime));
    if (!isInspected) return await leaveRest(ports, part);
    const counted = await countKnown(ports, begun, store, stopAt);
    if (counted !== 'done') return counted;
    const layout = part.layoutOf(hints, store);
    const source = await open(ports, part.facts, firstByteOf(text, part.from));
    for await (const group of readRows(source, layout, text, part.from)) {
      for (const row of group) {
        if (isRow(row)) part.add(row, store);
        if (isRow(row) && !part.isSectionFull(row.end.offset)) continue;
        await part.endSection(row.end);
        part.checkRows(row.end);
        if (ports.clock.now() >= stopAt) return 'out of time';
      }
      if (isOutOfTime()) return await leaveRest(ports, part);
    }
    if (part.rows === 0) throw new FileFault('FILE_EMPTY', 'the file has no row');
    return undefined;
  } catch (error) {
    if (error instanceof FileFault) return error;
    throw error;
  }
}

async function open({ files }: ImportFilePorts, file: FileFacts, firstByte: number): Promise<Readable> {
  return present(await files.open(file, firstByte));
}

/** @throws {FileFault} FILE_GONE */
function present<T>(found: T | undefined): T {
  if (found !== undefined) return found;
  throw new FileFault('FILE_GONE', 'the file was deleted or replaced before it was read to its end');
}

/**
 * Leaves the rest of a file whose section did not end in time.
 *
 * @throws {FileFault} FILE_STUCK if no section has ended for as many invocations as are allowed.
 */
async function leaveRest({ imports }: ImportFilePorts, part: FilePart): Promise<'out of time'> {
  if (part.hasProgressed) return 'out of time';
  const record = await imports.update(
    part.facts.importId,
    (current) => current && { ...current, spentTries: (current.spentTries ?? 0) + 1 },
  );
  if ((record?.spentTries ?? 0) < MOST_SPENT_TRIES) return 'out of time';
  const message = `no further row could be read in ${MOST_SPENT_TRIES} tries: split the file, or put it without .gz`;
  throw new FileFault('FILE_STUCK', message, part.from?.number);
}
