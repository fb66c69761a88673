import { checkDocuments } from '../checks/documents/document-outcomes.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { GivenDocumentCommand } from '../world/documents/document-orders.ts';
import { DocumentWorld, STORE } from '../world/documents/document-world.ts';

/** Duration of the faults, and the longest time after it until every command has its outcome; milliseconds. */
const TROUBLE_MS = 180_000;
const DRAINED_WITHIN_MS = 4 * 3_600_000;
const LOOK_INTERVAL_MS = 5_000;
const DOCUMENTS = ['shipping-label', 'invoice'] as const;

/**
 * Labels and invoices of orders that are ready, become ready or never do, requested once or with refresh, by one command or
 * several at the same moment, under every fault and with answers that are not PDFs. Resolves when every command has ended,
 * or at the first violation.
 *
 * @returns the number of commands
 */
export async function runDocuments(simulation: Simulation): Promise<number> {
  const { random, scheduler, faults } = simulation;
  const world = new DocumentWorld(simulation, TROUBLE_MS);
  const given: GivenDocumentCommand[] = [];
  const endOfTrouble = simulation.now + TROUBLE_MS;
  let isOver = false;

  for (let count = random.integer(1, 12); count > 0; count -= 1) {
    const wanted = { order: random.pick(world.orders), document: random.pick(DOCUMENTS) };
    const atMs = random.integer(0, TROUBLE_MS - 30_000);
    for (let more = random.chance(0.5) ? random.integer(1, 4) : 1; more > 0; more -= 1) {
      const afterMs = random.integer(0, random.pick([50, 200, 400]));
      scheduler.after(atMs + afterMs, () => given.push(give(world, wanted)));
    }
  }
  if (random.chance(0.2)) {
    const { blocked } = world.marketplace.gate;
    scheduler.after(random.integer(0, TROUBLE_MS / 2), () => blocked.add(STORE.storeClientId));
  }
  scheduler.after(TROUBLE_MS, () => {
    faults.stop();
    world.marketplace.gate.blocked.clear();
  });
  world.startSweeps();
  const look = () => {
    if (simulation.now > endOfTrouble) {
      resumeStore(world);
      isOver = world.isIdle;
      if (simulation.now > endOfTrouble + DRAINED_WITHIN_MS)
        simulation.violate('P2: a command waits for ever');
    }
    scheduler.after(LOOK_INTERVAL_MS, look);
  };
  scheduler.after(LOOK_INTERVAL_MS, look);

  await scheduler.run(() => isOver || simulation.violation !== undefined);
  if (simulation.violation === undefined) checkDocuments(world, given);
  return given.length;
}

function give(
  { simulation, commands }: DocumentWorld,
  wanted: Pick<GivenDocumentCommand, 'order' | 'document'>,
): GivenDocumentCommand {
  const { random, now, faults } = simulation;
  const command = {
    ...wanted,
    commandId: simulation.newId('command'),
    refresh: random.chance(0.3),
    time: Math.floor(now),
  };
  const { commandId, order, document, refresh, time } = command;
  const { storeClientId } = STORE;
  const detail = { storeClientId, commandId, orderId: order.orderId, document, ...(refresh && { refresh }) };
  const body = JSON.stringify({
    id: `event-of-${commandId}`,
    time: new Date(time).toISOString(),
    'detail-type': 'order.document.requested',
    detail,
  });
  simulation.note('partner', () => body);
  commands.send(body);
  if (faults.strikes('message delivered twice')) commands.send(body);
  return command;
}

/** The seller has corrected the credentials, and an operator resumes the store. */
function resumeStore({ tables }: DocumentWorld): void {
  for (const [storeClientId, store] of tables.stores) {
    if (store.state === 'suspended') tables.stores.set(storeClientId, { ...store, state: 'connected' });
  }
}
