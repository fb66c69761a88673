import { writeIncomingEvent } from '../../events/incoming.ts';
import type { ProductMessageQueue } from '../ports.ts';

export interface QueueProductsPorts {
  readonly productCommands: ProductMessageQueue;
  readonly clock: { now(): number };
}

/** Products for a new command, not checked yet. */
export interface GivenProducts {
  readonly detailType: 'catalog.sync.requested' | 'product.create.requested';
  readonly storeClientId: string;
  readonly commandId: string;
  readonly products: readonly unknown[];
}

/** Queues products as a command with the current time. */
export async function queueProducts(
  { productCommands, clock }: QueueProductsPorts,
  { detailType, storeClientId, commandId, products }: GivenProducts,
): Promise<void> {
  const detail = { storeClientId, commandId, products: [...products] };
  await productCommands.send([writeIncomingEvent({ id: commandId, time: clock.now(), detailType, detail })]);
}
