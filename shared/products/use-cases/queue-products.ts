import { writeIncomingEvent } from '../../events/write-incoming-event.ts';
import { MAX_PRODUCT_BYTES } from '../model.ts';
import type { PackedCommandQueue } from '../ports.ts';

export interface QueueProductsPorts {
  /** Where small commands are packed together. */
  readonly bulkCommands: PackedCommandQueue;
  readonly productCommands: PackedCommandQueue;
  /** Products per request at most. */
  readonly itemsPerRequest: number;
  readonly clock: { now(): number };
}

/** Products that are given now, by a command of their own; each is still to be checked. */
export interface GivenProducts {
  readonly detailType: 'catalog.sync.requested' | 'product.create.requested';
  readonly storeClientId: string;
  readonly commandId: string;
  readonly products: readonly unknown[];
}

/** Queues products as the command that a partner would send. What fills requests of its own is not packed with others. */
export async function queueProducts(
  { bulkCommands, productCommands, itemsPerRequest, clock }: QueueProductsPorts,
  { detailType, storeClientId, commandId, products }: GivenProducts,
): Promise<void> {
  const detail = { storeClientId, commandId, products: [...products] };
  const body = writeIncomingEvent({ id: commandId, time: clock.now(), detailType, detail });
  const isSmall = products.length < itemsPerRequest && Buffer.byteLength(body) < MAX_PRODUCT_BYTES;
  await (isSmall ? bulkCommands : productCommands).send([body]);
}
