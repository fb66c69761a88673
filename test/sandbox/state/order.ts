/** The sub-statuses that spec §3 names. */
export const SUB_STATUSES = [
  'pending',
  'confirmed',
  'waiting_pickup',
  'waiting_drop_off',
  'in_transit',
  'delivered',
  'order_completed',
  'complaint_resolved',
  'cancelled',
] as const;

export type SubStatus = (typeof SUB_STATUSES)[number];

export interface Order {
  readonly orderId: string;
  readonly invoiceNumber: string;
  readonly storeClientId: string;
  subStatus: SubStatus;
  readonly complained: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly items: readonly { name: string; sku: string; quantity: number; price: number }[];
  readonly recipient: { name: string; phone: string; address: string };
  /** Every decision received, with the time of its arrival. */
  readonly decisions: Record<string, unknown>[];
  /** Every dropoff request received, with the time of its arrival and its outcome. */
  readonly dropoffs: Record<string, unknown>[];
}
