import type { Attempt } from '../../../../shared/attempts/model.ts';
import type { CommandClaim, CommandStep } from '../../../../shared/commands/model.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import type { PriceGuard } from '../../../../shared/guards/model.ts';
import type { Lane } from '../../../../shared/lanes/model.ts';
import type { Limit } from '../../../../shared/limits/model.ts';
import type { Listing } from '../../../../shared/listings/model.ts';
import type { ProductTurn } from '../../../../shared/products/turn.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import { ArchivedRequests } from '../../checks/products/archived-requests.ts';
import { WatchedBatches } from '../../checks/watched-batches.ts';
import type { Simulation } from '../../engine/simulation.ts';

/** What all processes share and no crash takes away. */
export class ProductTables {
  readonly commands = new VersionedItems<CommandStep>();
  /** By `claimKey`. */
  readonly claims = new VersionedItems<CommandClaim>();
  readonly turns = new VersionedItems<ProductTurn>();
  readonly batches: WatchedBatches;
  readonly links = new Map<string, string>();
  readonly attempts = new Map<string, Attempt>();
  readonly rejections = new Map<string, Rejection>();
  readonly listings = new VersionedItems<Listing>();
  readonly guards = new VersionedItems<PriceGuard>();
  readonly lanes = new Map<string, Lane>();
  readonly stores = new Map<string, Store>();
  readonly limits = new Map<string, Limit>();
  /** The archive bucket: rows of requests, and bodies of webhooks. */
  readonly requests: ArchivedRequests;
  readonly summaries = new Map<string, Uint8Array>();
  /** The import bucket, by key. */
  readonly files = new Map<string, string>();
  readonly events: OutgoingEvent[] = [];

  constructor(simulation: Simulation) {
    this.batches = new WatchedBatches(simulation);
    this.requests = new ArchivedRequests(simulation);
  }

  /** What a bulk command is done in; `undefined` for one that nobody has begun. */
  packOf(storeClientId: string, commandId: string): string | undefined {
    const prefix = `${storeClientId}#${commandId}#claim#`;
    return this.claims.entries().find(([key]) => key.startsWith(prefix))?.[1].packId;
  }
}
