import type { BatchRecord } from '../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import type { PriceGuard } from '../../../shared/guards/rules/price-guard.ts';
import type { Lane } from '../../../shared/lanes/model.ts';
import type { Limit } from '../../../shared/limits/model.ts';
import type { Listing } from '../../../shared/listings/model.ts';
import type { WaitingPage } from '../../../shared/listings/waiting-pages.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { WatchedStores } from '../checks/store-events.ts';

/** The state that all processes share and that survives crashes. */
export class Tables {
  readonly lanes = new Map<string, Lane>();
  readonly pages = new Map<string, WaitingPage>();
  readonly stores = new WatchedStores();
  readonly batches = new VersionedItems<BatchRecord>();
  readonly rejections = new Map<string, Rejection>();
  readonly limits = new Map<string, Limit>();
  readonly events: OutgoingEvent[] = [];
  readonly listings: VersionedItems<Listing>;
  readonly guards: VersionedItems<PriceGuard>;

  constructor({ listings, guards }: Pick<Tables, 'listings' | 'guards'>) {
    this.listings = listings;
    this.guards = guards;
  }
}
