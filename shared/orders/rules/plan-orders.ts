import { z } from 'zod';
import { chunk } from '../../collections/packer.ts';
import { unknownKeyError } from '../../errors/unknown-key-error.ts';
import { decision } from '../../marketplace/fields.ts';
import { dropoffItem, orderDecision } from '../../marketplace/orders.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedText } from '../../rejections/rules/bounded.ts';
import type { PlannedCommands, PlannedRow } from '../../requests/domain.ts';
import { type CommandFault, identifiersIn, rejectionOfRow } from '../../requests/rules/rejection.ts';
import type { Store } from '../../stores/model.ts';
import { nameFault } from '../../stores/rules/names.ts';
import { type OrderCommand, orderKeyOf, REQUEST_KIND_OF, referenceOf } from '../model.ts';
import { DECIDED_OTHERWISE } from './order-action.ts';

/** A decision of §4.16 as a command gives it: what explains a rejection does not go with an acceptance. */
export const decisionItem = orderDecision.superRefine(({ decision: given, reasonCode, reason }, context) => {
  if (given === 'reject') return;
  for (const [field, value] of Object.entries({ reasonCode, reason })) {
    if (value === undefined) continue;
    context.addIssue({
      code: 'custom',
      path: [field],
      message: `${field} goes with the decision reject only`,
    });
  }
});

const ITEM_OF = { decision: decisionItem, dropoff: dropoffItem } as const;

/** A row as it is archived with its request: as it is sent, and whether its command is a retry. */
export const plannedOrderSchema = z.object({
  orderId: z.string().optional(),
  invoiceNumber: z.string().optional(),
  decision: decision.optional(),
  reasonCode: z.string().optional(),
  reason: z.string().optional(),
  retry: z.boolean().optional(),
});
export type PlannedOrder = z.infer<typeof plannedOrderSchema>;

interface PlannedOrderRow extends PlannedRow<OrderCommand> {
  readonly item: PlannedOrder;
}

const DECIDED_OTHERWISE_BEFORE: CommandFault = {
  code: DECIDED_OTHERWISE.code,
  message: 'an earlier row of the command has the other decision for this order',
};

/**
 * Which rows of commands go into which request. Rows that break a rule, or name an order in another way than their store
 * does, are rejected. Decisions of several commands share requests; a batch of dropoffs is of one command.
 *
 * A command has each order once: a row that repeats an earlier one ends as that one, and a row with the other decision is
 * rejected. A request has each order once: an order that another command has too goes into a later one.
 *
 * @param itemsPerRequest at most.
 */
export function planOrders(
  commands: readonly OrderCommand[],
  store: Store,
  itemsPerRequest: number,
): PlannedCommands<OrderCommand> {
  const rejections: Rejection[] = [];
  const groups = new Map<string, PlannedRow<OrderCommand>[]>();
  const seen = new Map<string, number>();
  for (const [position, command] of commands.entries()) {
    const { rows, rejections: invalid } = readRows(command, store);
    rejections.push(...invalid);
    for (const [orderKey, row] of rows) {
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
  return { requests, rejections };
}

/** The rows of a command that are sent, by their order, and the rejections of others. */
function readRows(command: OrderCommand, store: Store) {
  const rows = new Map<string, PlannedOrderRow>();
  const rejections: Rejection[] = [];
  for (const [index, item] of command.items.entries()) {
    const row = readRow(command, store, index, item);
    if ('rejectionId' in row) {
      rejections.push(row);
      continue;
    }
    const orderKey = orderKeyOf(row.names);
    const first = rows.get(orderKey) ?? row;
    rows.set(orderKey, first);
    if (first.item.decision !== row.item.decision)
      rejections.push(rejectionOfRow(command, { index, ...row.names }, DECIDED_OTHERWISE_BEFORE));
  }
  return { rows, rejections };
}

/** The row as it is planned, or its rejection for the first rule that it breaks. */
function readRow(
  command: OrderCommand,
  store: Store,
  index: number,
  item: unknown,
): PlannedOrderRow | Rejection {
  const { success, data, error } = ITEM_OF[command.action].safeParse(item, { error: unknownKeyError });
  if (!success) {
    const known = identifiersIn(item, ['orderId', 'invoiceNumber']);
    return rejectionOfRow(command, { index, ...known }, faultOf(error));
  }
  const names = referenceOf(data);
  const given = names.orderId === undefined ? 'invoiceNumber' : 'orderId';
  // Two names of one order could be decided differently.
  const fault = nameFault('orders', store.names.orders, given);
  if (fault) return rejectionOfRow(command, { index, ...names }, fault);
  return { command, index, item: { ...data, ...(command.retry && { retry: true }) }, names };
}

function faultOf({ issues: [issue] }: z.ZodError): CommandFault {
  const field = z.core.toDotPath(issue?.path ?? []);
  const text = issue?.message ?? 'not valid';
  return { code: 'ROW_INVALID', message: boundedText(field === '' ? text : `${field}: ${text}`), field };
}
