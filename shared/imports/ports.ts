import type { Readable } from 'node:stream';
import type { PageRequest } from '../collections/page-request.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import type { IncomingEvent } from '../events/incoming.ts';
import type { VersionKind } from '../listings/model.ts';
import type { ListingItems } from '../listings/ports.ts';
import type { TargetName } from '../listings/rules/target.ts';
import type { EpochMs, IsoTime } from '../time/times.ts';
import type { ImportRecord } from './model.ts';
import type { FileKind } from './rules/file-kinds.ts';
import type { ListingStanding } from './rules/full-names.ts';

/** An object of the import bucket; its `etag` identifies the content. */
export interface ImportedFile {
  readonly bucket: string;
  /** Not URL-encoded. */
  readonly key: string;
  readonly etag: string;
}

/** One put of a file, from its S3 event. */
export interface AnnouncedFile extends ImportedFile {
  readonly versionId?: string | undefined;
  /** Differs for each put of the same key. */
  readonly sequencer?: string | undefined;
  /** When the object was put. */
  readonly time: IsoTime;
  readonly eventId: string;
}

/** The import bucket. */
export interface ImportFiles {
  /** The object's bytes from byte `firstByte` (the first is 0) on; `undefined` if it was deleted or replaced since. */
  open(file: ImportedFile, firstByte: number): Promise<Readable | undefined>;
  /** The object's user-defined metadata, by lower-case names; `undefined` if it was deleted or replaced since. */
  metadata(file: ImportedFile): Promise<Readonly<Record<string, string>> | undefined>;
}

/** Where the rejected rows of a file are written. */
export interface ImportReports {
  /** Stores a part of a report; replaces the part of the same number. */
  putPart(file: ReportedFile, number: number, text: string): Promise<void>;
  /** Joins the first `parts` parts into one object. @returns its key */
  join(file: ReportedFile, parts: number): Promise<string>;
}

export interface ReportedFile {
  readonly bucket: string;
  readonly key: string;
  readonly importId: string;
}

/** An event with rows of a file. */
export type FileEvent = {
  [Type in FileKind['detailType']]: IncomingEvent<Type>;
}[FileKind['detailType']];

/** The product commands queue for catalogs, the changes queue for stock and prices. */
export interface FileRowQueue {
  /** Durable when it resolves. If it rejects, some events may be queued. */
  send(events: readonly FileEvent[]): Promise<void>;
}

/** A page of a store's listings, with the newest version of their stock. */
export interface StockPage {
  readonly listings: readonly {
    readonly target: string;
    readonly versionKind: VersionKind;
    /** The newest version of its stock in any warehouse; absent without stock. */
    readonly newest?: number | undefined;
    /** When the creation of its product was known. */
    readonly knownAt?: EpochMs | undefined;
    readonly standing: ListingStanding;
  }[];
  /** The last target. Absent on the last page. */
  readonly next?: string | undefined;
}

/** The listings of a store, in the order of their targets. */
export interface StoreListings extends Pick<ListingItems, 'getMany'> {
  /** The listings whose targets use this kind of name, after the target `after`; strongly consistent. */
  stockPage(storeClientId: string, name: TargetName, after?: string): Promise<StockPage>;
}

/** Imports in the Inputs table. */
export interface ImportTable extends VersionedTable<ImportRecord, [importId: string]> {
  /** Strongly consistent. */
  get(importId: string): Promise<ImportRecord | undefined>;
  /** The imports of a store (`undefined`: of all stores), newest first. Eventually consistent. */
  list(
    storeClientId: string | undefined,
    page?: PageRequest,
  ): Promise<{ imports: ImportRecord[]; cursor?: string }>;
  /** The last imports of the files with a name, given with or without folders, of one store or of all stores. Eventually consistent. */
  listNamed(
    name: string,
    page: { readonly limit: number; readonly storeClientId?: string | undefined },
  ): Promise<ImportRecord[]>;
  /** The held imports of all stores. Eventually consistent. */
  listHeld(limit: number): Promise<ImportRecord[]>;
  /**
   * Files put since then that have failed (`hasFailed`), newest first. Leaves out a file whose key got a later file that was read.
   * Eventually consistent.
   */
  listFailed(since: IsoTime, limit: number): Promise<ImportRecord[]>;
}
