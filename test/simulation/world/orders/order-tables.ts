import type { Attempt } from '../../../../shared/attempts/model.ts';
import type { BatchRecord } from '../../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import type { Limit } from '../../../../shared/limits/model.ts';
import type { OrderRecord } from '../../../../shared/orders/model.ts';
import type { Rejection } from '../../../../shared/rejections/model.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';

/** The Orders table, watched. */
class WatchedOrders extends VersionedItems<OrderRecord> {
  readonly #onWritten: (before: OrderRecord | undefined, after: OrderRecord) => void;

  constructor(onWritten: (before: OrderRecord | undefined, after: OrderRecord) => void) {
    super();
    this.#onWritten = onWritten;
  }

  override replace(key: string, value: OrderRecord, revision: number | undefined, writeId: object): boolean {
    const before = this.read(key)?.value;
    const isDone = super.replace(key, value, revision, writeId);
    if (isDone) this.#onWritten(before, value);
    return isDone;
  }
}

/** What all processes share that handle orders, and no crash takes away. */
export class OrderTables {
  readonly orders: VersionedItems<OrderRecord>;
  readonly stores = new Map<string, Store>();
  readonly batches = new VersionedItems<BatchRecord>();
  readonly attempts = new Map<string, Attempt>();
  readonly rejections = new Map<string, Rejection>();
  readonly limits = new VersionedItems<Limit>();
  readonly events: OutgoingEvent[] = [];

  constructor(onOrderWritten: (before: OrderRecord | undefined, after: OrderRecord) => void) {
    this.orders = new WatchedOrders(onOrderWritten);
  }
}
