import { RequestTime } from '../../commands/request-time.ts';
import type { CommandMessage } from '../../commands/use-cases/or-put-off.ts';
import type { IncomingDetailType, IncomingEvent } from '../../events/incoming.ts';
import { parseIncomingEvent } from '../../events/parse-incoming-event.ts';
import { rejectionOfEvent } from '../../rejections/rules/event-rejection.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { Store } from '../../stores/model.ts';
import type { ProductCommand, RowFault } from '../model.ts';
import { readPackMessage } from '../pack-message.ts';
import { type DeleteProductsPorts, deleteProducts, dropDeletion } from './delete-products.ts';
import { type Performed, type PerformForStorePorts, performForStore } from './perform-for-store.ts';
import { type PerformPackPorts, performPack } from './perform-pack.ts';
import { dropUpdate, type UpdateProductPorts, updateProduct } from './update-product.ts';

const PRODUCT_DETAIL_TYPES = [
  'catalog.sync.requested',
  'product.create.requested',
  'product.update.requested',
  'product.delete.requested',
] as const satisfies readonly IncomingDetailType[];

type ProductEvent = {
  [T in (typeof PRODUCT_DETAIL_TYPES)[number]]: IncomingEvent<T>;
}[(typeof PRODUCT_DETAIL_TYPES)[number]];

export type PerformProductCommandPorts = PerformForStorePorts &
  PerformPackPorts &
  UpdateProductPorts &
  DeleteProductsPorts;

export interface ProductCommandResult extends Performed {
  readonly storeClientId?: string | undefined;
  readonly commandId?: string;
  /** Of several commands that share requests. */
  readonly packId?: string;
}

/**
 * Does the product command of a message, or the several of a pack, each once (design §2): syncs, creates, updates or
 * deletes products. What is no command, and a command of an unknown store, is rejected; what may be done later waits in
 * the queue, as does what is left of a long command at `stopAt` (epoch ms, default never).
 *
 * @throws {ConnectorError | MarketplaceError} when waiting is not what the command, or the rest of it, needs.
 */
export async function performProductCommand(
  ports: PerformProductCommandPorts,
  message: CommandMessage,
  stopAt = Number.POSITIVE_INFINITY,
): Promise<ProductCommandResult> {
  const time = new RequestTime(ports.clock, stopAt);
  const pack = readPackMessage(message.body);
  if (pack !== undefined) {
    const { storeClientId, packId } = pack;
    return { storeClientId, packId, ...(await performPack(ports, message, pack, time)) };
  }
  const parsed = parseIncomingEvent(message.body, PRODUCT_DETAIL_TYPES, message);
  if (!parsed.ok) {
    await reportRejections(ports, [rejectionOfEvent(parsed.refusal, message.sentAt)]);
    return { storeClientId: parsed.refusal.storeClientId, requests: 0, rejected: 1 };
  }
  const command = commandOf(parsed.event);
  const { storeClientId, commandId } = command;
  return { storeClientId, commandId, ...(await perform(ports, { message, time }, command, parsed.event)) };
}

function perform(
  ports: PerformProductCommandPorts,
  { message, time }: { readonly message: CommandMessage; readonly time: RequestTime },
  command: ProductCommand,
  { detailType, detail }: ProductEvent,
): Promise<Performed> {
  const { storeClientId, commandId } = command;
  switch (detailType) {
    case 'product.update.requested': {
      const update = { ...command, productId: detail.productId, changes: detail.changes };
      const work = (store: Store) => updateProduct(ports, update, store);
      const drop = (fault: RowFault) => dropUpdate(ports, update, fault);
      return performForStore(ports, message, [command], { work, drop });
    }
    case 'product.delete.requested': {
      const deletion = { ...command, ids: detail.ids };
      const work = (store: Store) => deleteProducts(ports, deletion, store, time);
      const drop = (fault: RowFault) => dropDeletion(ports, deletion, fault);
      return performForStore(ports, message, [command], { work, drop });
    }
    default: {
      const { products, retryOf } = detail;
      const commands = [{ ...command, detailType, products }];
      const pack = { packId: commandId, storeClientId, detailType, commands, retryOf };
      return performPack(ports, message, pack, time);
    }
  }
}

function commandOf({ id, time, detailType, detail }: ProductEvent): ProductCommand {
  return {
    storeClientId: detail.storeClientId,
    commandId: detail.commandId ?? id,
    eventId: id,
    detailType,
    time,
  };
}
