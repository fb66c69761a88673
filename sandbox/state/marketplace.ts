import type { Batch } from '../batches/batch.ts';
import { FaultPlan } from './faults.ts';
import { Limits } from './limits.ts';
import type { Order } from './order.ts';
import { RequestLog } from './request-log.ts';
import type { OnboardSession } from './session.ts';
import type { Partner, Store } from './store.ts';

/** The state of the sandbox. A reset replaces it as a whole. */
export class Marketplace {
  readonly partners = new Map<string, Partner>();
  readonly stores = new Map<string, Store>();
  readonly sessions = new Map<string, OnboardSession>();
  readonly batches = new Map<string, Batch>();
  readonly requests = new RequestLog();
  readonly faults = new FaultPlan();
  readonly limits = new Limits();
  /** Offset of the server's clock in checks and answers. */
  clockOffsetMs = 0;
  readonly #orders = new Map<string, Order>();
  readonly #ordersByInvoice = new Map<string, Order>();

  get orders(): Order[] {
    return [...this.#orders.values()];
  }

  addOrder(order: Order): void {
    this.#orders.set(order.orderId, order);
    this.#ordersByInvoice.set(order.invoiceNumber, order);
  }

  order(key: { orderId?: string | undefined; invoiceNumber?: string | undefined }): Order | undefined {
    if (key.orderId !== undefined) return this.#orders.get(key.orderId.toLowerCase());
    return this.#ordersByInvoice.get(key.invoiceNumber ?? '');
  }
}
