import type { SentRows } from '../../../../shared/batches/rules/sent-rows.ts';
import type { FileReceipt } from '../../../../shared/changes/file-receipts.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import type { PriceGuard } from '../../../../shared/guards/rules/price-guard.ts';
import type { ImportRecord, ReadingPlaces } from '../../../../shared/imports/model.ts';
import type { Lane } from '../../../../shared/lanes/model.ts';
import type { Limit } from '../../../../shared/limits/model.ts';
import type { Listing } from '../../../../shared/listings/model.ts';
import type { WaitingPage } from '../../../../shared/listings/waiting-pages.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import type { CommandPlan, LockRecord, RequestRecord } from '../../../../shared/requests/model.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import { PlannedRejections } from '../../checks/planned-rejections.ts';
import { ArchivedRequests } from '../../checks/products/archived-requests.ts';
import type { SentRequests } from '../../checks/products/sent-requests.ts';
import { WatchedBatches } from '../../checks/watched-batches.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { WatchedItems } from '../watched-items.ts';

/** The state that all processes share and that survives crashes. */
export class ProductTables {
  /** Requests of the ledger. */
  readonly records: WatchedItems<RequestRecord>;
  readonly plans = new VersionedItems<CommandPlan>();
  readonly locks = new VersionedItems<LockRecord>();
  readonly batches: WatchedBatches;
  readonly links = new Map<string, string>();
  readonly sentRows = new VersionedItems<SentRows>();
  readonly rejections: Map<string, Rejection>;
  readonly imports = new VersionedItems<ImportRecord>();
  readonly readingPlaces = new VersionedItems<ReadingPlaces>();
  readonly listings = new VersionedItems<Listing>();
  readonly pages = new Map<string, WaitingPage>();
  readonly guards = new VersionedItems<PriceGuard>();
  readonly lanes = new Map<string, Lane>();
  readonly stores = new Map<string, Store>();
  readonly limits = new Map<string, Limit>();
  /** The archive bucket: rows of requests, and bodies of webhooks. */
  readonly requests: ArchivedRequests;
  readonly summaries = new Map<string, Uint8Array>();
  /** The import bucket, by key. */
  readonly files = new Map<string, string>();
  readonly reports = new Map<string, string>();
  readonly receipts = new Map<string, FileReceipt>();
  readonly events: OutgoingEvent[] = [];

  constructor(simulation: Simulation, sentRequests: SentRequests) {
    this.records = new WatchedItems((_, record, before) => sentRequests.onWritten(record, before));
    this.batches = new WatchedBatches(simulation);
    this.requests = new ArchivedRequests(simulation);
    this.rejections = new PlannedRejections(simulation, this.plans);
  }
}
