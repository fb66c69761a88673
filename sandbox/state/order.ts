/** The sub-statuses of §3. */
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
  /** All received decisions with their times of arrival. */
  readonly decisions: Record<string, unknown>[];
  /** All received dropoff requests with their time of arrival and outcome. */
  readonly dropoffs: Record<string, unknown>[];
}
