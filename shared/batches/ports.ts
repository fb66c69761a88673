import type { PageRequest } from '../collections/page-request.ts';
import type { BatchKind, BatchRecord, BatchState, ListedBatch, ReceivedSummary } from './model.ts';

/** Which batches to list; default: all. */
export interface BatchQuery extends PageRequest {
  readonly storeClientId?: string | undefined;
  /** Default: any state of a batch, which `unmatched` and `discarded` are not: a summary is listed only when it is asked for. */
  readonly state?: BatchState | undefined;
  readonly kind?: BatchKind | undefined;
  /** ISO 8601, inclusive. */
  readonly since?: string | undefined;
}

/** The Batches table. */
export interface BatchTable {
  /** Strongly consistent. Throws ConnectorError `RECORD_UNREADABLE` for a record that breaks its schema. */
  get(batchId: string): Promise<BatchRecord | undefined>;
  /**
   * Applies `change` to the newest record and stores the result, as one conditional write; calls it again when
   * another writer came between. `change` returns `undefined` to leave the record as it is. Throws as `get` does.
   */
  update(
    batchId: string,
    change: (current: BatchRecord | undefined) => BatchRecord | undefined,
  ): Promise<BatchRecord | undefined>;
  /** Notes which batch a request began, for final summaries that name the request alone. */
  link(requestId: string, batchId: string): Promise<void>;
  /** The batch that a request began, if it is known; strongly consistent. */
  linkedTo(requestId: string): Promise<string | undefined>;
  /**
   * Newest first; a page is full as long as there are batches for it, unless it has 3 MB or thousands were looked at. A
   * batch with very many failed rows is listed without them. Throws as `get` does.
   */
  list(query: BatchQuery): Promise<{ batches: ListedBatch[]; cursor?: string }>;
  /**
   * As `list`, the batches that are `submitted`, the oldest first; may lag behind. `unreadable`: an error as `get`
   * throws it for each record of the page that is not among `batches`.
   */
  listOpen(page?: PageRequest): Promise<{ batches: ListedBatch[]; unreadable: unknown[]; cursor?: string }>;
  /**
   * IDs of batches with an event due (`dueSince`), and that stand as they do since before `dueBefore`
   * (ISO 8601), the oldest first; may lag behind. Also of records that can not be read.
   */
  listUnannounced(
    query: PageRequest & { readonly dueBefore: string },
  ): Promise<{ batchIds: string[]; cursor?: string }>;
}

/**
 * The archive bucket: what product commands send, for its rows to be given back with the reason of their failure, or to
 * be read back when no answer came.
 */
export interface RequestArchive {
  /** Durable when it resolves. `requestKey`: see `requestKeyOf`. */
  put(requestKey: string, rows: readonly unknown[]): Promise<void>;
  /** `undefined` when it was kept as long as the archive keeps anything. */
  get(requestKey: string): Promise<unknown[] | undefined>;
}

/** The archive bucket: webhook bodies as they came, byte for byte. */
export interface SummaryArchive {
  /** Durable when it resolves; the same bytes of the same day come to lie under the same key. */
  put(rawBody: Uint8Array, receivedAt: string): Promise<string>;
  get(archiveKey: string): Promise<Uint8Array>;
}

/** A command that does failed rows again. */
export interface RetryCommand {
  readonly detailType: 'catalog.sync.requested' | 'product.create.requested';
  readonly storeClientId: string;
  readonly commandId: string;
  /** ISO 8601. */
  readonly time: string;
  /** The batch that the rows failed in. */
  readonly retryOf: string;
  readonly products: readonly unknown[];
}

/** The product commands queue, for commands that try failed rows again. */
export interface RetryQueue {
  /** Durable in the queue when it resolves. */
  send(command: RetryCommand): Promise<void>;
}

/** The summaries queue. */
export interface SummaryQueue {
  send(summary: ReceivedSummary): Promise<void>;
}
