import { chunk } from '../../collections/chunk.ts';
import { MAX_ORDERS_PER_EVENT, type OutgoingEvent } from '../../events/outgoing.ts';
import type { EventPublisher } from '../../events/ports.ts';
import type { OrderCommand, OrderRow } from '../model.ts';
import { referenceOf } from '../rules/order-key.ts';

/** Tells of orders whose outcome stays unknown: they wait for an operator or an explicit retry. */
export async function reportUnknown(
  { events }: { readonly events: EventPublisher },
  { storeClientId, commandId, action }: OrderCommand,
  items: readonly OrderRow['item'][],
  { code, message }: { readonly code: string; readonly message: string },
): Promise<void> {
  if (items.length === 0) return;
  await events.publish(
    chunk(items, MAX_ORDERS_PER_EVENT).map((part): OutgoingEvent => {
      const orders = part.map((item) => ({
        ...referenceOf(item),
        ...(item.decision && { decision: item.decision }),
      }));
      return {
        detailType: 'orders.unknown',
        detail: { storeClientId, commandId, action, code, message, orders },
      };
    }),
  );
}
