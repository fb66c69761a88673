import { Readable } from 'node:stream';
import { importIdOf } from '../../../../shared/imports/file/announced-file.ts';
import type { ImportRecord } from '../../../../shared/imports/model.ts';
import type { FileEvent } from '../../../../shared/imports/ports.ts';
import { importFile } from '../../../../shared/imports/use-cases/import-file.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryImportReports } from '../../../doubles/in-memory-import-reports.ts';
import { inMemoryImportTable } from '../../../doubles/in-memory-import-table.ts';
import { inMemoryReadingPlaces } from '../../../doubles/in-memory-reading-places.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryStoreListings } from '../../../doubles/in-memory-store-listings.ts';
import { directly } from '../../../doubles/step.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import { store as connected } from '../../products/update-setup.ts';

/** When the files are put. */
export const PUT_AT = Date.UTC(2026, 10, 27, 9);

export interface PutFile {
  readonly key: string;
  readonly content: string | Uint8Array;
  /** User-defined metadata of the object. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly store?: Partial<Store>;
}

/** Imports one file as the importer does, with everything in memory. */
export function putFile({ key, content, metadata = {}, store = {} }: PutFile) {
  const sent: FileEvent[] = [];
  const rejections = new Map<string, Rejection>();
  const imports = new VersionedItems<ImportRecord>();
  const reports = new Map<string, string>();
  const importTable = inMemoryImportTable(directly, imports);
  const ports = {
    stores: { get: async () => ({ ...connected, ...store }) },
    queue: { send: async (events: readonly FileEvent[]) => void sent.push(...events) },
    rejections: inMemoryRejectionTable(directly, rejections),
    events: inMemoryEventPublisher(directly, []),
    imports: importTable,
    clock: { now: () => PUT_AT + 60_000 },
    readingPlaces: inMemoryReadingPlaces(),
    importQueue: { send: async () => {} },
    reports: inMemoryImportReports(directly, reports),
    storeListings: inMemoryStoreListings(directly, new VersionedItems()),
    files: {
      metadata: async () => metadata,
      open: async (_: object, firstByte: number) =>
        Readable.from([Buffer.from(content).subarray(firstByte)], { objectMode: false }),
    },
  };
  const put = {
    bucket: 'imports',
    key,
    etag: 'e-1',
    time: new Date(PUT_AT).toISOString(),
    eventId: 'event-1',
  };
  const importId = importIdOf(put);
  const options = {
    stopAt: Number.POSITIVE_INFINITY,
    endsAt: Number.POSITIVE_INFINITY,
    goOn: () => Promise.reject(new Error('there was time enough')),
  };
  return {
    ports,
    importId,
    read: () => importFile(ports, put, options),
    /** The rows that were sent, with the version of their event. */
    rows: () =>
      sent.flatMap(({ detail }) => {
        const { items, products } = detail as { items?: unknown[]; products?: unknown[] };
        const { occurredAt } = detail as { occurredAt?: string };
        return (items ?? products ?? []).map((row) => ({ ...(row as object), ...(items && { occurredAt }) }));
      }) as Record<string, unknown>[],
    messages: () => sent.map(({ id }) => id),
    rejections: () => [...rejections.values()],
    record: () => imports.read(importId)?.value,
    report: () =>
      (reports.get(`reports/${key}/${importId}.ndjson`) ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

/** Imports a file to its end. */
export async function imported(file: PutFile) {
  const put = putFile(file);
  await put.read();
  return put;
}
