import type { Random } from '../../engine/random.ts';

/** How the marketplace handles an order. */
export type OrderNature =
  /** Accepts every action. */
  | 'ordinary'
  /** Does not know the order: a request that contains it is refused whole with ORDER_001. */
  | 'unknown'
  /** Skips its dropoff for as long as it is not ready. */
  | 'not ready';

/** An order at the marketplace, with its history. */
export interface BookedOrder {
  readonly storeClientId: string;
  readonly orderId: string;
  readonly invoiceNumber: string;
  nature: OrderNature;
  readonly decisions: ('accept' | 'reject')[];
  dropoffs: number;
}

/** The identifier by which a row names an order. */
export interface OrderName {
  readonly orderId?: string | undefined;
  readonly invoiceNumber?: string | undefined;
}

/** An identifier with its kind, as in the Orders table; order IDs are compared without case. */
export function keyOf({ orderId, invoiceNumber }: OrderName): string {
  return orderId === undefined ? `invoiceNumber:${invoiceNumber}` : `orderId:${orderId.toLowerCase()}`;
}

export interface OrderStore {
  /** The identifier of its orders. */
  readonly names: { readonly products: 'sku'; readonly orders: 'orderId' | 'invoiceNumber' };
  readonly storeClientId: string;
  readonly storeToken: string;
}

/** The orders of one seed: few, so that much happens to each. */
export class OrderBook {
  readonly stores: readonly OrderStore[];
  readonly orders: readonly BookedOrder[];

  constructor(random: Random) {
    this.stores = Array.from({ length: random.integer(1, 2) }, (_, store) => ({
      storeClientId: `store-${store}`,
      storeToken: `token-${store}`,
      names: { products: 'sku', orders: random.pick(['orderId', 'invoiceNumber']) },
    }));
    this.orders = this.stores.flatMap(({ storeClientId }, store) =>
      Array.from({ length: random.integer(1, 4) }, (_, order) => ({
        storeClientId,
        orderId: `20000000-0000-4000-8000-${String(store * 100 + order).padStart(12, '0')}`,
        invoiceNumber: `INV-${store}-${order}`,
        nature: drawNature(random),
        decisions: [],
        dropoffs: 0,
      })),
    );
  }

  find(storeClientId: string, name: OrderName): BookedOrder | undefined {
    return this.findByKey(storeClientId, keyOf(name));
  }

  /** Finds an order by either identifier. */
  findByKey(storeClientId: string, key: string): BookedOrder | undefined {
    return this.orders.find(
      ({ orderId, invoiceNumber, ...order }) =>
        order.storeClientId === storeClientId && [keyOf({ orderId }), keyOf({ invoiceNumber })].includes(key),
    );
  }

  namesOf(storeClientId: string): 'orderId' | 'invoiceNumber' | undefined {
    return this.stores.find((store) => store.storeClientId === storeClientId)?.names.orders;
  }
}

function drawNature(random: Random): OrderNature {
  if (random.chance(0.6)) return 'ordinary';
  return random.chance(0.3) ? 'unknown' : 'not ready';
}
