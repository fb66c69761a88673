import {
  discardedFault,
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../commands/use-cases/for-connected-store.ts';
import { type CommandMessage, type OrPutOffPorts, orPutOff } from '../../commands/use-cases/or-put-off.ts';
import type { IncomingDetailType, IncomingEvent } from '../../events/incoming.ts';
import { parseIncomingEvent } from '../../events/parse-incoming-event.ts';
import { rejectionOfEvent } from '../../rejections/rules/event-rejection.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { Store } from '../../stores/model.ts';
import type { ProductCommand, RowFault } from '../model.ts';
import { rejectionOfCommand } from '../rules/row-rejection.ts';
import { type DeleteProductsPorts, deleteProducts } from './delete-products.ts';
import { type PerformBulkCommandPorts, performBulkCommand } from './perform-bulk-command.ts';
import { type UpdateProductPorts, updateProduct } from './update-product.ts';

const PRODUCT_DETAIL_TYPES = [
  'catalog.sync.requested',
  'product.create.requested',
  'product.update.requested',
  'product.delete.requested',
] as const satisfies readonly IncomingDetailType[];

type ProductEvent = {
  [T in (typeof PRODUCT_DETAIL_TYPES)[number]]: IncomingEvent<T>;
}[(typeof PRODUCT_DETAIL_TYPES)[number]];

export type PerformProductCommandPorts = ForConnectedStorePorts &
  OrPutOffPorts &
  PerformBulkCommandPorts &
  UpdateProductPorts &
  DeleteProductsPorts;

export interface ProductCommandResult {
  readonly storeClientId?: string | undefined;
  readonly commandId?: string;
  /** Requests that brought an answer. */
  readonly requests: number;
  /** Rows, or the whole command, that broke a rule. */
  readonly rejected: number;
  /** Why the command, or the rest of it, waits in its queue. */
  readonly putOff?: string;
}

/**
 * Does one product command, once (design §2): syncs, creates, updates or deletes products. What is no command, and a
 * command of an unknown store, is rejected; what may be done later waits in the queue.
 *
 * @throws {ConnectorError | MarketplaceError} when waiting is not what the command, or the rest of it, needs.
 */
export async function performProductCommand(
  ports: PerformProductCommandPorts,
  message: CommandMessage,
): Promise<ProductCommandResult> {
  const parsed = parseIncomingEvent(message.body, PRODUCT_DETAIL_TYPES, message);
  if (!parsed.ok) {
    await reportRejections(ports, [rejectionOfEvent(parsed.refusal, message.sentAt)]);
    return { storeClientId: parsed.refusal.storeClientId, requests: 0, rejected: 1 };
  }
  const command = commandOf(parsed.event);
  const { storeClientId, commandId } = command;
  const rejected = async (fault: RowFault) => {
    await reportRejections(ports, [rejectionOfCommand(command, fault)]);
    return { storeClientId, commandId, requests: 0, rejected: 1 };
  };
  const done = await orPutOff(ports, { message, time: command.time }, () =>
    forConnectedStore(
      ports,
      storeClientId,
      (store) => perform(ports, command, parsed.event, store),
      command.time,
    ).catch((error) => rejected(discardedFault(error))),
  );
  if (done !== undefined) return { storeClientId, commandId, requests: 0, rejected: 0, ...done };
  return rejected({
    code: 'STORE_UNKNOWN',
    message: `store ${storeClientId} is not connected to this stack`,
    field: 'detail.storeClientId',
  });
}

function perform(
  ports: PerformProductCommandPorts,
  command: ProductCommand,
  { detailType, detail }: ProductEvent,
  store: Store,
): Promise<{ requests: number; rejected: number }> {
  switch (detailType) {
    case 'product.update.requested':
      return updateProduct(
        ports,
        { ...command, productId: detail.productId, changes: detail.changes },
        store,
      );
    case 'product.delete.requested':
      return deleteProducts(ports, { ...command, ids: detail.ids }, store);
    default:
      return performBulkCommand(
        ports,
        { ...command, detailType, products: detail.products, retryOf: detail.retryOf },
        store,
      );
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
