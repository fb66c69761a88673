import * as z from 'zod';
import { changedPriceItem, changedStockItem } from '../changes/rules/read-items.ts';
import { incomingDetailSchemas } from '../events/incoming.ts';
import { dropoffItem } from '../marketplace/order-rows.ts';
import { productDeletion } from '../marketplace/product-changes.ts';
import { givenProductChanges, simpleProduct, variantProduct } from '../marketplace/product-request.ts';
import { decisionItem } from '../orders/rules/plan-orders.ts';

const rows = <Row extends z.ZodType>(row: Row) => z.array(row).min(1);
const products = rows(z.union([simpleProduct, variantProduct]));

/**
 * Schema of the `detail` of each incoming event, rows included. The code parses an event first, and then each row by
 * itself with these same schemas, so that an invalid row does not reject its whole event.
 */
export const schemasOfEventsIn = {
  ...incomingDetailSchemas,
  'stock.changed': incomingDetailSchemas['stock.changed'].extend({ items: rows(changedStockItem) }),
  'price.changed': incomingDetailSchemas['price.changed'].extend({ items: rows(changedPriceItem) }),
  'catalog.sync.requested': incomingDetailSchemas['catalog.sync.requested'].extend({ products }),
  'product.create.requested': incomingDetailSchemas['product.create.requested'].extend({ products }),
  'product.update.requested': incomingDetailSchemas['product.update.requested'].extend({
    changes: givenProductChanges,
  }),
  'product.delete.requested': incomingDetailSchemas['product.delete.requested'].extend({
    ids: productDeletion.shape.ids,
  }),
  'order.decision.requested': incomingDetailSchemas['order.decision.requested'].extend({
    items: rows(decisionItem),
  }),
  'order.dropoff.requested': incomingDetailSchemas['order.dropoff.requested'].extend({
    items: rows(dropoffItem),
  }),
};
