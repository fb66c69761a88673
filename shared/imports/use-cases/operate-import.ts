import { ConnectorError } from '../../errors/connector-error.ts';
import type { FullFile, ImportRecord, ImportTable } from '../model.ts';

export interface OperateImportPorts {
  readonly imports: Pick<ImportTable, 'update'>;
  /** Queues a file under `full/` for the importer. Durable when it resolves. */
  readonly continueImport: (importId: string) => Promise<void>;
}

/**
 * Releases a held import: the stock of the listings that its file does not name becomes 0. A repeated call queues it again.
 *
 * @throws ConnectorError `IMPORT_UNKNOWN`, `IMPORT_NOT_HELD`
 */
export async function releaseImport(ports: OperateImportPorts, importId: string): Promise<ImportRecord> {
  const record = await leaveHold(ports, importId, 'zeroing');
  await ports.continueImport(importId);
  return record;
}

/**
 * Discards the hold of an import: its rows stay as they were taken, and no stock becomes 0. A repeated call does nothing.
 *
 * @throws ConnectorError `IMPORT_UNKNOWN`, `IMPORT_NOT_HELD`
 */
export function discardImport(ports: OperateImportPorts, importId: string): Promise<ImportRecord> {
  return leaveHold(ports, importId, 'discarded');
}

async function leaveHold(
  { imports }: OperateImportPorts,
  importId: string,
  state: FullFile['state'],
): Promise<ImportRecord> {
  const record = await imports.update(importId, (current) => {
    if (current?.full?.state !== 'held') return undefined;
    const { hold: _, ...full } = current.full;
    return { ...current, full: { ...full, state } };
  });
  if (record === undefined) {
    throw new ConnectorError(`no import ${importId}`, { code: 'IMPORT_UNKNOWN' });
  }
  if (record.full?.state !== state) {
    throw new ConnectorError(`import ${importId} is not held`, { code: 'IMPORT_NOT_HELD' });
  }
  return record;
}
