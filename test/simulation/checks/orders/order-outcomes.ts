import type { OrderRecord, OrderReference } from '../../../../shared/orders/model.ts';
import { type BookedOrder, keyOf, keysOf } from '../../world/orders/order-book.ts';
import type { GivenOrderCommand, GivenRow } from '../../world/orders/order-partner.ts';
import type { OrderWorld } from '../../world/orders/order-world.ts';
import { checkBatches } from '../accounts.ts';

/** What must be true of orders once nothing moves any more. */
export function checkOrderOutcomes(world: OrderWorld, given: readonly GivenOrderCommand[]): void {
  for (const command of given) {
    for (const [index, row] of command.rows.entries()) checkRow(world, command, index, row);
  }
  const commandIds = new Set(given.map(({ commandId }) => commandId));
  for (const record of world.tables.orders.all()) checkRecord(world, record, commandIds);
  checkNames(world);
  checkBatches(world.simulation, world.tables.batches.all(), world.marketplace.batches);
}

/** A lone order that was sent by its invoice number, and skipped under its order ID, is known by both from then on. */
function checkNames({ simulation, tables, book }: OrderWorld): void {
  for (const { storeClientId, rows, state, kind } of tables.attempts.values()) {
    const [row] = rows;
    if (kind !== 'dropoff' || state !== 'answered' || rows.length > 1 || row?.invoiceNumber === undefined)
      continue;
    const order = book.find(storeClientId, row);
    const wasSkipped = tables.batches
      .all()
      .some(({ rejectedRows }) => rejectedRows.some(({ orderId }) => orderId === order?.orderId));
    const record = tables.orders.read(`${storeClientId} ${keyOf(row)}`)?.value;
    if (!wasSkipped || record?.aliasOf !== undefined || order?.dropoffs !== 0) continue;
    simulation.violate(`orders: ${row.invoiceNumber} is not known to be ${order.orderId}`);
  }
}

/** Every row has one outcome: told as decided, rejected or unknown, or the order is done as the row asks for. */
function checkRow(
  world: OrderWorld,
  command: GivenOrderCommand,
  index: number,
  { item, order }: GivenRow,
): void {
  const { commandId, action } = command;
  if (isNamedTwice(command, order)) return;
  const told = [
    ...(isTold(world, 'orders.decided', command, item) ? ['decided'] : []),
    ...(isTold(world, 'orders.unknown', command, item, order) ? ['unknown'] : []),
    ...(isRejected(world, commandId, index, item) ? ['rejected'] : []),
  ];
  const name = `row ${index} of ${commandId}`;
  // What nobody could tell of may turn out to be refused, by an operator's word.
  const isFoundOut = rejectionOf(world, commandId, index)?.code === 'RESOLVED_AS_REFUSED';
  if (told.length > (isFoundOut ? 2 : 1))
    world.simulation.violate(`orders: ${name} was told as ${told.join(' and as ')}`);
  if (order === undefined) {
    if (told[0] !== 'rejected')
      world.simulation.violate(`orders: ${name} breaks a rule and was not rejected`);
    return;
  }
  if (world.sends.isAmbiguous(order, action)) return;
  const record = recordOf(world, order, item)?.[action];
  const isDone = record?.state === 'done' && record.decision === item.decision;
  if (told.length === 0 && !isDone) {
    world.simulation.violate(`orders: ${name} has no outcome, the order ${JSON.stringify(record)}`);
  }
  if (told[0] === 'decided' && !isDone) {
    world.simulation.violate(`orders: ${name} was told as decided, the order is ${JSON.stringify(record)}`);
  }
}

/** Whether a command names an order by both names, before or after it is known that both are one: no row has it alone. */
function isNamedTwice({ rows }: GivenOrderCommand, order: BookedOrder | undefined): boolean {
  const names = rows
    .filter((row) => row.order !== undefined && row.order === order)
    .map(({ item }) => keyOf(item));
  return new Set(names).size > 1;
}

function isTold(
  { tables }: OrderWorld,
  detailType: 'orders.decided' | 'orders.unknown',
  { commandId, action }: GivenOrderCommand,
  item: OrderReference & { decision?: string },
  order?: BookedOrder,
): boolean {
  return tables.events.some((event) => {
    if (event.detailType !== detailType || event.detail.commandId !== commandId) return false;
    if (event.detailType === 'orders.unknown' && event.detail.action !== action) return false;
    const told: readonly (OrderReference & { decision?: string | undefined })[] = event.detail.orders;
    return told.some(
      (one) =>
        one.decision === item.decision &&
        (isSame(one, item) || (order !== undefined && isAlso(one, order, item))),
    );
  });
}

function isSame(told: OrderReference, item: OrderReference): boolean {
  return item.orderId === undefined
    ? told.invoiceNumber === item.invoiceNumber
    : told.orderId !== undefined && keyOf(told) === keyOf(item);
}

/** An order that is known by both names is told by both. */
function isAlso(told: OrderReference, order: BookedOrder, item: OrderReference): boolean {
  return (
    item.orderId === undefined && told.orderId === order.orderId && told.invoiceNumber === order.invoiceNumber
  );
}

/** As a rejection of its own, or as a skipped row of its batch. */
function isRejected(world: OrderWorld, commandId: string, index: number, item: OrderReference): boolean {
  const inBatch = world.tables.batches
    .all()
    .some((batch) => batch.commandId === commandId && batch.rejectedRows.some((row) => isSame(row, item)));
  return inBatch || rejectionOf(world, commandId, index) !== undefined;
}

function rejectionOf({ tables }: OrderWorld, commandId: string, index: number) {
  return [...tables.rejections.values()].find((one) => one.commandId === commandId && one.rowIndex === index);
}

/** What is kept of an order is true, and what nobody can tell of was said. */
function checkRecord(world: OrderWorld, record: OrderRecord, commandIds: ReadonlySet<string>): void {
  const { simulation, tables, book } = world;
  if (record.aliasOf !== undefined) {
    if (record.decision ?? record.dropoff)
      simulation.violate(`orders: ${record.orderKey} is a name and keeps an action`);
    return;
  }
  if (record.joining !== undefined)
    simulation.violate(`orders: ${record.orderKey} has not taken over ${record.joining.invoiceNumber}`);
  const order = book.findByKey(record.storeClientId, record.orderKey);
  for (const action of ['decision', 'dropoff'] as const) {
    const kept = record[action];
    if (kept === undefined || order === undefined || world.sends.isAmbiguous(order, action)) continue;
    const name = `orders: the ${action} of ${record.orderKey}`;
    const isThere =
      action === 'dropoff' ? order.dropoffs > 0 : order.decisions.some((one) => one === kept.decision);
    if (kept.state === 'done' && !isThere) simulation.violate(`${name} is kept as done and is not there`);
    if (kept.state === 'refused' && isThere && !hasOtherName(world, order)) {
      simulation.violate(`${name} is kept as refused and is there`);
    }
    if (!commandIds.has(kept.commandId)) continue;
    if (kept.state === 'sending') simulation.violate(`${name} is kept as on its way`);
    if (kept.state !== 'unknown' || kept.unknownOf !== undefined) continue;
    const isSaid = tables.events.some(
      (event) => event.detailType === 'orders.unknown' && event.detail.commandId === kept.commandId,
    );
    if (!isSaid) simulation.violate(`${name} is unknown, which nobody was told`);
  }
}

function recordOf({ tables }: OrderWorld, { storeClientId }: BookedOrder, reference: OrderReference) {
  const read = (key: string) => tables.orders.read(`${storeClientId} ${key}`)?.value;
  const record = read(keyOf(reference));
  return record?.aliasOf === undefined ? record : read(record.aliasOf);
}

/** Whether the order was asked for by either name, so that an effect may be the other's. */
function hasOtherName({ tables }: OrderWorld, order: BookedOrder): boolean {
  return keysOf(order).every((key) => tables.orders.read(`${order.storeClientId} ${key}`) !== undefined);
}
