import { sumOf } from '../../collections/counts.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import type { Notation } from '../../stores/notation.ts';
import type { Clock } from '../../time/clock.ts';
import { placeOfKey } from '../file/announced-file.ts';
import type { ImportQueue } from '../import-message.ts';
import { hasFailed, type ImportRecord, isHeld, notFollowed } from '../model.ts';
import type { ImportTable } from '../ports.ts';

export interface OperateImportPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly imports: Pick<ImportTable, 'get' | 'update'>;
  readonly importQueue: ImportQueue;
}

/**
 * Releases a held import. The importer then sets the stock of listings that the file does not name to 0, or uses `notation` to read the
 * rows with ambiguous numbers. The importer ends the hold, so that after a failure here the import is still held.
 *
 * @throws ConnectorError `IMPORT_UNKNOWN`, `IMPORT_NOT_HELD`, `DECIMAL_REQUIRED`, `DECIMAL_UNEXPECTED`
 */
export async function releaseImport(
  ports: OperateImportPorts,
  importId: string,
  notation?: Notation,
): Promise<ImportRecord> {
  const record = await ports.imports.get(importId);
  if (record === undefined) throw unknownImport(importId);
  if (!isHeld(record)) throw notHeld(importId);
  const isHeldForNumbers = record.numbers?.hold !== undefined;
  if (isHeldForNumbers && notation === undefined) {
    const message = 'decimal must be given: the sign before the decimals of the file, "." or ","';
    throw new ConnectorError(message, { code: 'DECIMAL_REQUIRED' });
  }
  if (!isHeldForNumbers && notation !== undefined) {
    const message = `import ${importId} is held for what its file leaves out, not for its numbers: release it without decimal`;
    throw new ConnectorError(message, { code: 'DECIMAL_UNEXPECTED' });
  }
  await ports.importQueue.send({ importId, isReleased: true, notation });
  return record;
}

/**
 * Discards the hold of an import: its rows stay as they were taken, no stock becomes 0, and rows whose numbers are ambiguous stay
 * rejected. A failed file stays as it is, and no longer counts as failed. A repeated call does nothing.
 *
 * @throws ConnectorError `IMPORT_UNKNOWN`, `IMPORT_NOT_HELD`
 */
export async function discardImport(
  { imports, clock }: Pick<OperateImportPorts, 'imports' | 'clock'>,
  importId: string,
): Promise<ImportRecord> {
  const record = await imports.update(importId, (current) => {
    if (current?.numbers?.hold) return { ...current, numbers: { isDiscarded: true } };
    if (current !== undefined && hasFailed(current))
      return { ...current, leftAt: new Date(clock.now()).toISOString() };
    if (current?.full?.state !== 'held') return undefined;
    const { hold: _, ...full } = current.full;
    return { ...current, full: { ...full, state: 'discarded' } };
  });
  if (record === undefined) throw unknownImport(importId);
  const isDiscarded = record.full?.state === 'discarded' || record.numbers?.isDiscarded;
  if (!isDiscarded && record.leftAt === undefined) throw notHeld(importId);
  return record;
}

/**
 * Ends a file whose message an operator has deleted before the file was read to its end. The rows that were read have been sent; rows of
 * stock and prices are followed as usual.
 */
export async function endUnread(
  { imports, importQueue, clock }: OperateImportPorts,
  importId: string,
  fault: { readonly code: string; readonly message: string },
): Promise<void> {
  const endedAt = new Date(clock.now()).toISOString();
  let isFollowed = false;
  await imports.update(importId, (current) => {
    isFollowed = false;
    if (current === undefined || current.reading !== undefined) return undefined;
    const { progress, spentTries: _, full, ...record } = current;
    const { position: __, ...counts } = progress ?? { sent: 0, rejected: {}, commands: 0 };
    const rows = counts.sent + sumOf(counts.rejected);
    const { kind, isDryRun } = placeOfKey(record.key);
    isFollowed = kind !== 'catalog' && !isDryRun && counts.sent > 0;
    return {
      ...record,
      reading: { ...counts, rows, endedAt, fault },
      ...(full && { full: { ...full, state: 'ended' } }),
      ...(isFollowed && { followed: notFollowed }),
    };
  });
  if (isFollowed) await importQueue.send({ importId, isFollowed });
}

function unknownImport(importId: string): ConnectorError {
  return new ConnectorError(`no import ${importId}`, { code: 'IMPORT_UNKNOWN' });
}

function notHeld(importId: string): ConnectorError {
  return new ConnectorError(`import ${importId} is not held`, { code: 'IMPORT_NOT_HELD' });
}
