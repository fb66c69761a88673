import { isoTime } from '../clock.ts';
import type { NewId } from '../identifiers.ts';
import type { Order, SubStatus } from './order.ts';

interface NewOrder {
  storeClientId: string;
  subStatus: SubStatus;
  complained: boolean;
  /** Number of existing orders, for the invoice number. */
  orderCount: number;
  /** Epoch ms. */
  now: number;
}

/** A new order with two items. */
export function newOrder(
  { storeClientId, subStatus, complained, orderCount, now }: NewOrder,
  newId: NewId,
): Order {
  const createdAt = isoTime(now);
  const day = createdAt.slice(0, 10).replaceAll('-', '');
  return {
    orderId: newId(),
    invoiceNumber: `INV-${day}-${String(orderCount + 1).padStart(6, '0')}`,
    storeClientId,
    subStatus,
    complained,
    createdAt,
    items: [
      { name: 'Batik shirt', sku: 'BATIK-M', quantity: 1, price: 250_000 },
      { name: 'Coffee beans 250 g', sku: 'COFFEE-250', quantity: 2, price: 85_000 },
    ],
    recipient: { name: 'Sari Dewi', phone: '+628155500100', address: 'Jalan Merdeka 10, Bandung 40111' },
    decisions: [],
    dropoffs: [],
  };
}
