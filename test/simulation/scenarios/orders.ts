import type { OrderRecord } from '../../../shared/orders/model.ts';
import { referenceOf } from '../../../shared/orders/model.ts';
import { unknownSince } from '../../../shared/orders/rules/order-action.ts';
import { isOpen } from '../../../shared/requests/rules/states.ts';
import { checkOrderOutcomes } from '../checks/orders/order-outcomes.ts';
import type { Simulation } from '../engine/simulation.ts';
import { OrderFunctions } from '../world/orders/order-functions.ts';
import { OrderPartner } from '../world/orders/order-partner.ts';
import { OrderWorld } from '../world/orders/order-world.ts';

/** Duration of the faults, and the longest time after it until every command has its outcome; milliseconds. */
const TROUBLE_MS = 240_000;
const DRAINED_WITHIN_MS = 4 * 3_600_000;
const LOOK_INTERVAL_MS = 5_000;
/** Milliseconds between two times at which an operator handles unknown orders. */
const OPERATOR_INTERVAL_MS = 60_000;
const SWEEP_INTERVAL_MS = 300_000;

/**
 * Decisions and dropoffs, from events and from an operator's retries, in stores that name their orders by ID or by invoice
 * number, under every fault. Resolves when every command has ended, or at the first violation.
 *
 * @returns the number of commands
 */
export async function runOrders(simulation: Simulation): Promise<number> {
  const { random, scheduler, faults } = simulation;
  const world = new OrderWorld(simulation);
  const functions = new OrderFunctions(world);
  const partner = new OrderPartner(world, functions.commands);
  const endOfTrouble = simulation.now + TROUBLE_MS;
  let isOver = false;

  partner.start(random.integer(2, 20), random.integer(1_000, TROUBLE_MS - 30_000));
  troubleStores(world);
  operate(world, functions, partner, endOfTrouble);
  scheduler.after(TROUBLE_MS, () => {
    faults.stop();
    world.marketplace.gate.blocked.clear();
  });
  const isLeft = () => world.tables.requests.all().some(isOpen);
  const look = () => {
    if (simulation.now > endOfTrouble) {
      resumeStores(world);
      if (functions.isIdle && !isLeft()) isOver = true;
      if (simulation.now > endOfTrouble + DRAINED_WITHIN_MS)
        simulation.violate('P2: a command waits for ever');
    }
    scheduler.after(LOOK_INTERVAL_MS, look);
  };
  const sweep = () => {
    functions.sweep();
    scheduler.after(SWEEP_INTERVAL_MS, sweep);
  };
  scheduler.after(random.integer(0, SWEEP_INTERVAL_MS), sweep);
  scheduler.after(LOOK_INTERVAL_MS, look);

  await scheduler.run(() => isOver || simulation.violation !== undefined);
  if (simulation.violation === undefined) checkOrderOutcomes(world, partner.given);
  return partner.given.length;
}

/** Orders become ready, and a store is refused for a while. */
function troubleStores({ simulation, book, marketplace: { gate } }: OrderWorld): void {
  const { random, scheduler } = simulation;
  for (const order of book.orders) {
    if (order.nature === 'ordinary' || random.chance(0.5)) continue;
    scheduler.after(random.integer(0, TROUBLE_MS), () => {
      order.nature = 'ordinary';
    });
  }
  if (!random.chance(0.2)) return;
  const { storeClientId } = random.pick(book.stores);
  const blockedAt = random.integer(0, TROUBLE_MS / 2);
  scheduler.after(blockedAt, () => gate.blocked.add(storeClientId));
  scheduler.after(blockedAt + random.integer(0, TROUBLE_MS), () => gate.blocked.delete(storeClientId));
}

/** The seller has corrected the credentials, and an operator resumes the store. */
function resumeStores({ tables }: OrderWorld): void {
  for (const [storeClientId, store] of tables.stores) {
    if (store.state === 'suspended') tables.stores.set(storeClientId, { ...store, state: 'connected' });
  }
}

/** Until the faults end, an operator retries some unknown orders, by route or by event, and resolves others. */
function operate(world: OrderWorld, functions: OrderFunctions, partner: OrderPartner, until: number): void {
  const { simulation, book } = world;
  const { random, scheduler } = simulation;
  const actOn = (order: OrderRecord) => {
    const { storeClientId, orderId, invoiceNumber } = order;
    const reference = orderId === undefined ? referenceOf({ invoiceNumber }) : referenceOf({ orderId });
    const booked = book.find(storeClientId, reference);
    for (const action of ['decision', 'dropoff'] as const) {
      const record = order[action];
      if (record === undefined || (unknownSince(record) ?? Number.POSITIVE_INFINITY) > simulation.now)
        continue;
      const unknown = { storeClientId, reference, action };
      const deeds = [
        () => functions.retry(unknown),
        () => functions.resolve(unknown),
        () => booked && partner.retry(booked, action, record.decision),
        () => {},
      ];
      random.pick(deeds)();
    }
  };
  const look = () => {
    for (const { storeClientId } of book.stores) {
      functions.list(storeClientId, (orders) => {
        for (const order of orders) actOn(order);
      });
    }
    if (simulation.now < until) scheduler.after(OPERATOR_INTERVAL_MS, look);
  };
  scheduler.after(OPERATOR_INTERVAL_MS, look);
}
