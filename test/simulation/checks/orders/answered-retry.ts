import { orderKeyOf } from '../../../../shared/orders/model.ts';
import type { OrderRowOutcome } from '../../../../shared/orders/rules/command-outcomes.ts';
import type { UnknownAction } from '../../../../shared/orders/use-cases/unknown-orders.ts';
import type { OrderWorld } from '../../world/orders/order-world.ts';

/** What a caller is answered about its retry is durable by then: the order's record has it, and an unknown outcome was announced. */
export function checkAnsweredRetry(
  { simulation, tables }: OrderWorld,
  { storeClientId, reference, action }: UnknownAction,
  commandId: string,
  { state, code }: OrderRowOutcome,
): void {
  const order = tables.orders.read(`${storeClientId} ${orderKeyOf(reference)}`)?.value;
  const isAnnounced = tables.events.some(
    (event) => event.detailType === 'orders.unknown' && event.detail.commandId === commandId,
  );
  if (
    (state === 'accepted' && order?.[action]?.state !== 'accepted') ||
    (state === 'unknown' && !isAnnounced)
  )
    simulation.violate(
      `orders: the caller of ${commandId} got ${state} ${code}, the order is ${JSON.stringify(order)}`,
    );
}
