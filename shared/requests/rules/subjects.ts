import { z } from 'zod';
import { targetsOf } from '../../listings/rules/target.ts';
import { orderKeyOf } from '../../orders/model.ts';
import type { Command } from '../model.ts';

/** Most subjects of a command. */
const MOST_SUBJECTS = 25;

const text = z.string().min(1).max(200).optional().catch(undefined);
const orderSchema = z.object({ orderId: text, invoiceNumber: text }).catch({});
const productSchema = z.object({ sku: text, externalId: text }).catch({});
const commandSchema = z.object({
  orderId: text,
  productId: text,
  items: z.array(orderSchema).catch([]).optional(),
  products: z.array(productSchema).catch([]).optional(),
  ids: z.array(text).catch([]).optional(),
});

/** The first orders and products that a command is about, as keys of orders and targets of listings. */
export function subjectsOf(command: Command): string[] {
  const { orderId, productId, items = [], products = [], ids = [] } = commandSchema.parse(command);
  const orders = [{ orderId }, ...items.slice(0, MOST_SUBJECTS)];
  const named = [
    ...[productId, ...ids.slice(0, MOST_SUBJECTS)].map((id) => ({ id })),
    ...products.slice(0, MOST_SUBJECTS),
  ];
  const keys = [
    ...orders.flatMap((order) =>
      order.orderId === undefined && order.invoiceNumber === undefined ? [] : [orderKeyOf(order)],
    ),
    ...named.flatMap(targetsOf),
  ];
  return [...new Set(keys)].slice(0, MOST_SUBJECTS);
}

/** The ID under which the waiting command of a subject is found. */
export function subjectId(storeClientId: string, subject: string): string {
  return `${storeClientId.length}#${storeClientId}#${subject}`;
}
