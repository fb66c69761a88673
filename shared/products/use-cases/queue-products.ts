import { writeIncomingEvent } from '../../events/incoming.ts';
import type { ProductMessageQueue } from '../ports.ts';

export interface QueueProductsPorts {
  readonly productCommands: ProductMessageQueue;
  readonly clock: { now(): number };
}

/** Products that are given now, by a command of their own; each is still to be checked. */
export interface GivenProducts {
  readonly detailType: 'catalog.sync.requested' | 'product.create.requested';
  readonly storeClientId: string;
  readonly commandId: string;
  readonly products: readonly unknown[];
}

/** Queues products as the command that a partner would send. */
export async function queueProducts(
  { productCommands, clock }: QueueProductsPorts,
  { detailType, storeClientId, commandId, products }: GivenProducts,
): Promise<void> {
  const detail = { storeClientId, commandId, products: [...products] };
  await productCommands.send([writeIncomingEvent({ id: commandId, time: clock.now(), detailType, detail })]);
}
