import type { BatchRecord } from '../../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import type { Limit } from '../../../../shared/limits/model.ts';
import type { OrderRecord } from '../../../../shared/orders/model.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import type { CommandPlan, RequestRecord } from '../../../../shared/requests/model.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import { WatchedItems } from '../watched-items.ts';

/** The state of orders that all processes share and that survives crashes. */
export class OrderTables {
  readonly orders: VersionedItems<OrderRecord>;
  readonly stores = new Map<string, Store>();
  readonly batches = new VersionedItems<BatchRecord>();
  readonly requests = new VersionedItems<RequestRecord>();
  readonly plans = new VersionedItems<CommandPlan>();
  readonly archive = new Map<string, readonly unknown[]>();
  readonly rejections = new Map<string, Rejection>();
  readonly limits = new Map<string, Limit>();
  readonly events: OutgoingEvent[] = [];

  constructor(onOrderWritten: (before: OrderRecord | undefined, after: OrderRecord) => void) {
    this.orders = new WatchedItems((_, after, before) => onOrderWritten(before, after));
  }
}
