import type { OrderRecord, OrderReference } from '../../../../shared/orders/model.ts';
import { isOpen } from '../../../../shared/requests/rules/states.ts';
import { keyOf } from '../../world/orders/order-book.ts';
import type { GivenOrderCommand, GivenRow } from '../../world/orders/order-partner.ts';
import type { OrderWorld } from '../../world/orders/order-world.ts';
import { checkBatches } from '../accounts.ts';
import { unbatched } from '../batch-rejections.ts';

/** The checks of orders after quiescence. */
export function checkOrderOutcomes(world: OrderWorld, given: readonly GivenOrderCommand[]): void {
  const { simulation, tables, marketplace } = world;
  for (const command of given) {
    for (const [index, row] of command.rows.entries()) checkRow(world, command, index, row);
  }
  const commandIds = new Set(given.map(({ commandId }) => commandId));
  for (const record of tables.orders.all()) checkRecord(world, record, commandIds);
  for (const request of tables.requests.all())
    if (isOpen(request)) simulation.violate(`orders: request ${request.recordId} is left ${request.state}`);
  // The orders keep rows that an answer does not settle: no summary follows it.
  const settled = tables.batches.all().filter(({ rows }) => rows.unknown === 0);
  checkBatches(simulation, settled, marketplace.batches);
}

/**
 * Every row has one outcome: reported as decided, rejected or unknown, or the order is already as requested. A row that
 * repeats an earlier one of its command ends as that one; a row that contradicts an earlier one is rejected.
 */
function checkRow(world: OrderWorld, command: GivenOrderCommand, index: number, row: GivenRow): void {
  const { commandId, action, rows } = command;
  const { item, order } = row;
  const reported = [
    ...(isReported(world, 'orders.decided', command, item) ? ['decided'] : []),
    ...(isReported(world, 'orders.unknown', command, item) ? ['unknown'] : []),
    ...(isRejected(world, commandId, index, item) ? ['rejected'] : []),
  ];
  const name = `row ${index} of ${commandId}`;
  if (reported.length > 1)
    world.simulation.violate(`orders: ${name} was reported as ${reported.join(' and as ')}`);
  if (order === undefined || command.isEarly) {
    if (reported[0] !== 'rejected')
      world.simulation.violate(`orders: ${name} breaks a rule and was not rejected`);
    return;
  }
  const first = rows.find((one) => one.order === order) ?? row;
  if (first.item.decision !== item.decision) {
    if (reported[0] !== 'rejected')
      world.simulation.violate(`orders: ${name} contradicts an earlier row and was not rejected`);
    return;
  }
  if (first !== row) return;
  const record = world.tables.orders.read(`${order.storeClientId} ${keyOf(item)}`)?.value[action];
  const isDone = record?.state === 'accepted' && record.decision === item.decision;
  if (isDone) return;
  if (reported.length === 0 || reported[0] === 'decided') {
    const how = reported[0] ?? 'nothing';
    world.simulation.violate(
      `orders: ${name} was reported as ${how}, the order is ${JSON.stringify(record)}`,
    );
  }
}

interface ReportedOrder extends OrderReference {
  readonly decision?: string | undefined;
  readonly commandId?: string | undefined;
}

function isReported(
  { tables }: OrderWorld,
  detailType: 'orders.decided' | 'orders.unknown',
  { commandId, action }: GivenOrderCommand,
  item: OrderReference & { decision?: string },
): boolean {
  return tables.events.some((event) => {
    if (event.detailType !== detailType) return false;
    if (event.detailType === 'orders.unknown' && event.detail.action !== action) return false;
    const orders: readonly ReportedOrder[] = event.detail.orders;
    const { commandId: ofAll } = event.detail;
    return orders.some(
      (one) => (ofAll ?? one.commandId) === commandId && one.decision === item.decision && isSame(one, item),
    );
  });
}

function isSame(one: OrderReference, item: OrderReference): boolean {
  return item.orderId === undefined
    ? one.invoiceNumber === item.invoiceNumber
    : one.orderId !== undefined && keyOf(one) === keyOf(item);
}

/** Whether the row is rejected individually, with its whole command, or as a skipped row of its batch. */
function isRejected({ tables }: OrderWorld, commandId: string, index: number, item: OrderReference): boolean {
  const inBatch = tables.batches
    .all()
    .some((batch) => batch.commandId === commandId && batch.rejectedRows.some((row) => isSame(row, item)));
  return (
    inBatch ||
    unbatched(tables.rejections).some(
      (one) => one.commandId === commandId && (one.rowIndex === undefined || one.rowIndex === index),
    )
  );
}

/** The record of an order is true, and an unknown outcome was announced. */
function checkRecord(world: OrderWorld, record: OrderRecord, commandIds: ReadonlySet<string>): void {
  const { simulation, tables, book } = world;
  const order = book.findByKey(record.storeClientId, record.orderKey);
  // A command that waits is not planned yet: the rows whose names are wrong are not rejected yet.
  const isActedOn = record.decision !== undefined || record.dropoff !== undefined;
  if (
    order !== undefined &&
    isActedOn &&
    keyOf(order) !== record.orderKey &&
    book.namesOf(order.storeClientId) === 'orderId'
  )
    simulation.violate(`orders: ${record.orderKey} is kept by a name that its store does not use`);
  for (const action of ['decision', 'dropoff'] as const) {
    const kept = record[action];
    if (kept === undefined || order === undefined) continue;
    const name = `orders: the ${action} of ${record.orderKey}`;
    const isThere =
      action === 'dropoff' ? order.dropoffs > 0 : order.decisions.some((one) => one === kept.decision);
    if (kept.state === 'accepted' && !isThere)
      simulation.violate(`${name} is kept as accepted and is not there`);
    if (kept.state === 'rejected' && isThere) simulation.violate(`${name} is kept as rejected and is there`);
    if (kept.state === 'sending' && commandIds.has(kept.commandId))
      simulation.violate(`${name} is kept as being sent`);
    if (kept.state !== 'unknown') continue;
    const isAnnounced = tables.events.some(
      (event) => event.detailType === 'orders.unknown' && event.detail.commandId === kept.commandId,
    );
    if (!isAnnounced) simulation.violate(`${name} is unknown, and no event said so`);
  }
}
