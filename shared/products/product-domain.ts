import type { IncomingDetailType, IncomingEvent } from '../events/incoming.ts';
import { targetsOf } from '../listings/rules/target.ts';
import type { Domain, PlannedCommands } from '../requests/domain.ts';
import type { RequestKind } from '../requests/model.ts';
import { identifiersIn } from '../requests/rules/rejection.ts';
import { createBulkRequests } from './bulk-requests.ts';
import { createDeletionRequests } from './deletion-requests.ts';
import type { ProductCommand } from './model.ts';
import type { ProductPorts } from './ports.ts';
import { warningsOfCommand } from './rules/product-warnings.ts';
import { createUpdateRequests } from './update-requests.ts';

const DETAIL_TYPES = [
  'catalog.sync.requested',
  'product.create.requested',
  'product.update.requested',
  'product.delete.requested',
] as const satisfies readonly IncomingDetailType[];

type EventOf<T> = T extends IncomingDetailType ? IncomingEvent<T> : never;
type ProductEvent = EventOf<(typeof DETAIL_TYPES)[number]>;

/** The ledger's domain for product commands: syncs, creations, updates and deletions. */
export function createProductDomain(ports: ProductPorts): Domain<ProductCommand> {
  const bulk = createBulkRequests(ports);
  const updates = createUpdateRequests(ports);
  const deletions = createDeletionRequests(ports);
  const partOf = (kind: RequestKind) => {
    if (kind === 'product-update') return updates;
    return kind === 'product-deletion' ? deletions : bulk;
  };
  return {
    detailTypes: DETAIL_TYPES,
    read: (event) => readProductCommand(event as ProductEvent),
    subjectsOf,
    // Created products are found by their listings.
    lastingSubjectsOf: (command) => ('changes' in command || 'ids' in command ? subjectsOf(command) : []),
    warningsOf: warningsOfCommand,
    plan: (commands, store) => {
      const parts: PlannedCommands<ProductCommand>[] = [
        bulk.plan(
          commands.filter((command) => 'products' in command),
          store,
        ),
        updates.plan(
          commands.filter((command) => 'changes' in command),
          store,
        ),
        deletions.plan(
          commands.filter((command) => 'ids' in command),
          store,
        ),
      ];
      return {
        requests: parts.flatMap(({ requests }) => requests),
        rejections: parts.flatMap(({ rejections }) => rejections),
      };
    },
    // After an uncertain try an existing product counts as created, and a missing product as deleted. Updates set absolute values.
    isRepeatable: true,
    send: (request, recordAttempt) => partOf(request.record.kind).send(request, recordAttempt),
    apply: (record, items) => partOf(record.kind).apply(record, items),
  };
}

function subjectsOf(command: ProductCommand): string[] {
  if ('changes' in command) return targetsOf({ id: command.productId });
  if ('ids' in command) return command.ids.flatMap((id) => (typeof id === 'string' ? targetsOf({ id }) : []));
  return command.products.flatMap((product) => targetsOf(identifiersIn(product, ['sku', 'externalId'])));
}

function readProductCommand({ id, time, detailType, detail }: ProductEvent): ProductCommand {
  const { storeClientId, commandId = id } = detail;
  const facts = { storeClientId, commandId, eventId: id, time };
  switch (detailType) {
    case 'product.update.requested': {
      const { productId, changes, version } = detail;
      return { ...facts, detailType, productId, changes, ...(version !== undefined && { version }) };
    }
    case 'product.delete.requested':
      return { ...facts, detailType, ids: detail.ids };
    default: {
      const { products, retryOf } = detail;
      return { ...facts, detailType, products, ...(retryOf !== undefined && { retryOf }) };
    }
  }
}
