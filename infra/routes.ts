import type { RouteKey } from './constructs/connector-api.ts';
import type { EventRoute } from './constructs/connector-bus.ts';
import type { ConnectorQueues } from './constructs/connector-queues.ts';

/** The routes of the operations API; all of them need AWS IAM authorization. */
export const operationsRoutes: readonly RouteKey[] = [
  'GET /stores',
  'POST /stores/onboarding',
  'GET /stores/{storeClientId}',
  'PUT /stores/{storeClientId}',
  'POST /stores/{storeClientId}/resume',
  'POST /stores/{storeClientId}/unbind',
  'POST /stores/{storeClientId}/stock',
  'POST /stores/{storeClientId}/prices',
  'GET /stores/{storeClientId}/listings',
  'GET /stores/{storeClientId}/drift',
  'POST /stores/{storeClientId}/drift/repair',
  'POST /stores/{storeClientId}/reconcile',
  'GET /stores/{storeClientId}/price-guard',
  'PUT /stores/{storeClientId}/price-guard',
  'DELETE /stores/{storeClientId}/price-guard',
  'POST /stores/{storeClientId}/release',
  'POST /stores/{storeClientId}/discard',
  'GET /stores/{storeClientId}/rejections',
  'POST /stores/{storeClientId}/catalog/sync',
  'POST /stores/{storeClientId}/catalog/variants/sync',
  'POST /stores/{storeClientId}/products/bulk',
  'POST /stores/{storeClientId}/products/with-variants/bulk',
  'POST /stores/{storeClientId}/products/deletions',
  'GET /stores/{storeClientId}/products',
  'GET /stores/{storeClientId}/products/by-sku',
  'GET /stores/{storeClientId}/products/{productId}',
  'PATCH /stores/{storeClientId}/products/{productId}',
  'GET /stores/{storeClientId}/warehouses',
  'POST /stores/{storeClientId}/warehouses',
  'GET /stores/{storeClientId}/orders',
  'GET /stores/{storeClientId}/orders/unknown',
  'POST /stores/{storeClientId}/orders/decisions',
  'POST /stores/{storeClientId}/orders/dropoffs',
  'POST /stores/{storeClientId}/orders/retry',
  'POST /stores/{storeClientId}/orders/resolve',
  'POST /stores/{storeClientId}/orders/{orderId}/documents/{document}',
  'GET /stores/{storeClientId}/orders/{orderId}/documents/{document}',
  'GET /brands',
  'GET /openapi.json',
  'GET /batches',
  'GET /batches/{batchId}',
  'GET /batches/{batchId}/rejects',
  'POST /batches/{batchId}/retry',
  'POST /batches/{batchId}/read-back',
  'POST /batches/{batchId}/resolve',
  'GET /summaries/unmatched',
  'POST /summaries/{batchId}/discard',
  'GET /attention',
  'GET /flow',
  'GET /drift',
  'GET /trace',
  'GET /imports',
  'GET /imports/{importId}',
  'POST /imports/{importId}/release',
  'POST /imports/{importId}/discard',
];

/** Which events on the bus go to which queue, by the construct ID of the rule. */
export function eventRoutes(queues: ConnectorQueues): Record<string, EventRoute> {
  return {
    Changes: { detailTypes: ['stock.changed', 'price.changed'], queue: queues.changes },
    ProductCommands: {
      detailTypes: [
        'catalog.sync.requested',
        'product.create.requested',
        'product.update.requested',
        'product.delete.requested',
      ],
      queue: queues.productCommands,
    },
    OrderCommands: {
      detailTypes: ['order.decision.requested', 'order.dropoff.requested'],
      queue: queues.orderCommands,
    },
    DocumentCommands: { detailTypes: ['order.document.requested'], queue: queues.documentCommands },
  };
}
