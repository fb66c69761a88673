import type { Attempt } from '../../../shared/attempts/model.ts';
import type { BatchRecord } from '../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import type { Lane } from '../../../shared/lanes/model.ts';
import type { Limit } from '../../../shared/limits/model.ts';
import type { Listing } from '../../../shared/listings/model.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';

/** What all processes share and no crash takes away. */
export class Tables {
  readonly listings = new VersionedItems<Listing>();
  readonly lanes = new Map<string, Lane>();
  readonly stores = new Map<string, Store>();
  readonly batches = new VersionedItems<BatchRecord>();
  readonly attempts = new Map<string, Attempt>();
  readonly rejections = new Map<string, Rejection>();
  readonly limits = new VersionedItems<Limit>();
  readonly events: OutgoingEvent[] = [];
}
