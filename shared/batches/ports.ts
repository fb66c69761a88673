import type { PageRequest } from '../collections/page-request.ts';
import type { Change, VersionedTable } from '../collections/versioned-table.ts';
import type { MarketplaceClient } from '../marketplace/client.ts';
import type { ReportRejectionsPorts } from '../rejections/use-cases/report-rejections.ts';
import type { ForConnectedStorePorts } from '../stores/use-cases/for-connected-store.ts';
import type { IsoTime } from '../time/times.ts';
import type { BatchKind, BatchRecord, BatchState, ListedBatch, ReceivedSummary } from './model.ts';
import type { SentRows } from './rules/sent-rows.ts';

/** Filters of a list of batches. Default: all batches. */
export interface BatchQuery extends PageRequest {
  readonly storeClientId?: string | undefined;
  /** Default: every state of a batch. Summaries (`unmatched`, `matched`, `discarded`) are listed only by their state. */
  readonly state?: BatchState | undefined;
  readonly kind?: BatchKind | undefined;
  /** Inclusive. */
  readonly since?: IsoTime | undefined;
}

/** The Batches table. Reads and changes throw ConnectorError `RECORD_UNREADABLE` for a record that breaks its schema. */
export interface BatchTable extends VersionedTable<BatchRecord, [batchId: string]> {
  /** Strongly consistent. */
  get(batchId: string): Promise<BatchRecord | undefined>;
  /** @param known the record as it was read or written last. It saves a read. If it is outdated, the write fails and is repeated. */
  update(batchId: string, change: Change<BatchRecord>, known?: BatchRecord): Promise<BatchRecord | undefined>;
  /** Stores which batch a request began, for final summaries that name only the request. */
  link(requestId: string, batchId: string): Promise<void>;
  /**
   * Links a request to `to` if it is linked to `from` (`undefined`: to nothing) at that moment.
   *
   * @returns whether the request was linked to `from`
   */
  relink(requestId: string, from: string | undefined, to: string): Promise<boolean>;
  /** The batch that a request began, if known. Strongly consistent. */
  linkedTo(requestId: string): Promise<string | undefined>;
  /** Changes the record of requests with these products (`rowsKeyOf`) in the same way as `update`. Strongly consistent. */
  updateSentRows(rowsKey: string, change: Change<SentRows>): Promise<SentRows | undefined>;
  /**
   * Newest first. A page has fewer batches than `limit` if the batches reach 3 MB, or after thousands of records were examined.
   * A batch with very many failed rows is listed without these rows.
   */
  list(query: BatchQuery): Promise<{ batches: ListedBatch[]; cursor?: string }>;
  /**
   * `submitted` batches, oldest first. Eventually consistent. A page may be empty and have a cursor. `unreadable` has an
   * error for each record of the page that breaks its schema, the same as `get` throws.
   */
  listOpen(page?: PageRequest): Promise<{ batches: ListedBatch[]; unreadable: unknown[]; cursor?: string }>;
  /**
   * IDs of batches with an event due (`dueSince`) since before `dueBefore` (ISO 8601), oldest first. Includes
   * records that break their schema. Eventually consistent.
   */
  listUnannounced(
    query: PageRequest & { readonly dueBefore: string },
  ): Promise<{ batchIds: string[]; cursor?: string }>;
}

/** The archive bucket: sent rows. They are used to return failed rows to the partner, and to read unknown rows back. */
export interface RequestArchive {
  /** Durable when it resolves. `requestKey`: see `requestKeyOf`. */
  put(requestKey: string, rows: readonly unknown[]): Promise<void>;
  /** `undefined` after the archive's retention. */
  get(requestKey: string): Promise<unknown[] | undefined>;
}

/** The archive bucket: raw webhook bodies. */
export interface SummaryArchive {
  /** Durable when it resolves. The same bytes on the same day have the same key. */
  put(rawBody: Uint8Array, receivedAt: IsoTime): Promise<string>;
  get(archiveKey: string): Promise<Uint8Array>;
}

export interface SummaryQueue {
  send(summary: ReceivedSummary): Promise<void>;
}

export interface RecordBatchPorts extends ReportRejectionsPorts {
  readonly batches: Pick<BatchTable, 'get' | 'update' | 'link' | 'relink' | 'linkedTo' | 'updateSentRows'>;
  /**
   * Runs the effects outside the Batches table that the end of a batch, or a contradicting summary, has. Called before either is
   * published. Must be idempotent.
   */
  readonly onEnd?: (batch: BatchRecord) => Promise<void>;
}

/** The fields of an update whose values at the marketplace may show whether it was done. */
export interface ComparableFields {
  /** The sent fields that no newer update is known to have set. */
  readonly unset: readonly string[];
  /** The fields of `unset` that a newer update of unknown outcome may have set: their values show nothing. */
  readonly claimed: readonly string[];
}

export interface SettleBatchPorts extends RecordBatchPorts, Omit<ForConnectedStorePorts, 'events'> {
  readonly batches: BatchTable;
  readonly archive: Pick<RequestArchive, 'get'>;
  readonly marketplace: Pick<MarketplaceClient, 'getProduct' | 'getProductBySku' | 'listProducts'>;
  readonly pageSize: number;
  /** The comparable fields of the update with this record. Default: all fields. */
  readonly comparableFields?: (recordId: string) => Promise<ComparableFields | undefined>;
}
