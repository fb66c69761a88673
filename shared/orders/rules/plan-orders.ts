import * as z from 'zod';
import { chunk } from '../../collections/packer.ts';
import { isObject, NO_OBJECT } from '../../collections/parse-json.ts';
import { inputErrors } from '../../errors/input-errors.ts';
import { decision } from '../../marketplace/fields.ts';
import { dropoffItem, orderDecision } from '../../marketplace/order-rows.ts';
import type { PlannedCommands, PlannedRow } from '../../requests/domain.ts';
import { type CommandFault, identifiersIn, RowRejections, rowFault } from '../../requests/rules/rejection.ts';
import type { Store } from '../../stores/model.ts';
import { nameFault } from '../../stores/rules/names.ts';
import {
  type OrderCommand,
  type OrderReference,
  orderKeyOf,
  REQUEST_KIND_OF,
  referenceOf,
} from '../model.ts';
import { DECIDED_OTHERWISE } from './order-action.ts';

/** A decision of §4.16 as a command gives it. An acceptance must not have `reasonCode` or `reason`. */
export const decisionItem = orderDecision.superRefine(({ decision: given, reasonCode, reason }, context) => {
  if (given === 'reject') return;
  for (const [field, value] of Object.entries({ reasonCode, reason })) {
    if (value === undefined) continue;
    context.addIssue({
      code: 'custom',
      path: [field],
      message: `${field} is allowed only with the decision reject`,
    });
  }
});

const ITEM_OF = { decision: decisionItem, dropoff: dropoffItem } as const;

/** A row as stored with its request: the sent fields, and whether its command is a retry. */
export const plannedOrderSchema = z.object({
  ...orderDecision.shape,
  decision: decision.optional(),
  retry: z.boolean().optional(),
});
export type PlannedOrder = z.infer<typeof plannedOrderSchema>;

interface PlannedOrderRow extends PlannedRow<OrderCommand> {
  readonly item: PlannedOrder;
}

const DECIDED_OTHERWISE_BEFORE: CommandFault = {
  code: DECIDED_OTHERWISE.code,
  message: 'an earlier row of the command has a different decision for this order',
};

/**
 * Plans rows of commands into requests. Rejects rows that break a rule or use another kind of name than their store.
 * Decisions of several commands share requests; a request for dropoffs has one command.
 *
 * A command sends each order once: a repeated row ends like the order's first row, and a row with another decision is rejected. A
 * request has each order once: an order that is in several commands is planned into several requests.
 *
 * @param itemsPerRequest most rows per request.
 */
export function planOrders(
  commands: readonly OrderCommand[],
  store: Store,
  itemsPerRequest: number,
): PlannedCommands<OrderCommand> {
  const rejections = new RowRejections();
  const groups = new Map<string, PlannedRow<OrderCommand>[]>();
  const seen = new Map<string, number>();
  for (const [position, command] of commands.entries()) {
    for (const [orderKey, row] of readRows(command, store, rejections)) {
      const shared = command.action === 'decision' ? 'decisions' : `dropoffs of ${position}`;
      const key = `${shared} ${orderKey}`;
      const repeats = seen.get(key) ?? 0;
      seen.set(key, repeats + 1);
      const group = `${shared} ${repeats}`;
      groups.get(group)?.push(row) ?? groups.set(group, [row]);
    }
  }
  const requests = [...groups.values()].flatMap((rows) =>
    chunk(rows, itemsPerRequest).map((part) => ({
      kind: REQUEST_KIND_OF[part[0]?.command.action ?? 'decision'],
      rows: part,
    })),
  );
  return { requests, rejections: rejections.all };
}

function readRows(
  command: OrderCommand,
  store: Store,
  rejections: RowRejections,
): Map<string, PlannedOrderRow> {
  const rows = new Map<string, PlannedOrderRow>();
  const { items } = command;
  for (const [index, item] of items.entries()) {
    const row = readRow(command, store, index, item);
    if ('fault' in row) {
      rejections.add(command, items.length, { index, ...row.names }, row.fault);
      continue;
    }
    const orderKey = orderKeyOf(row.names);
    const first = rows.get(orderKey) ?? row;
    rows.set(orderKey, first);
    if (first.item.decision !== row.item.decision)
      rejections.add(command, items.length, { index, ...row.names }, DECIDED_OTHERWISE_BEFORE);
  }
  return rows;
}

/** The planned row, or the first rule that it breaks. */
function readRow(
  command: OrderCommand,
  store: Store,
  index: number,
  item: unknown,
): PlannedOrderRow | { readonly fault: CommandFault; readonly names: OrderReference } {
  const { success, data, error } = ITEM_OF[command.action].safeParse(item, { error: inputErrors });
  if (!success)
    return { fault: faultOf(item, error), names: identifiersIn(item, ['orderId', 'invoiceNumber']) };
  const names = referenceOf(data);
  const fault = orderNameFault(names, store);
  if (fault) return { fault, names };
  return { command, index, item: { ...data, ...(command.retry && { retry: true }) }, names };
}

/** The fault if the store uses the other kind of name for orders. Under two names, one order could get two decisions. */
export function orderNameFault({ orderId }: OrderReference, { names }: Pick<Store, 'names'>) {
  return nameFault('orders', names.orders, orderId === undefined ? 'invoiceNumber' : 'orderId');
}

function faultOf(item: unknown, { issues }: z.ZodError): CommandFault {
  const fault = rowFault(issues);
  return isObject(item) ? fault : { ...fault, message: NO_OBJECT };
}
