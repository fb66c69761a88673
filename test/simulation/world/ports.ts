import type { PushLanePorts } from '../../../shared/lanes/use-cases/lane-context.ts';
import type { ListingTable } from '../../../shared/listings/ports.ts';
import { priorities } from '../../../shared/listings/rules/waiting.ts';
import type { MarketplaceClient } from '../../../shared/marketplace/client.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { inMemoryBatchTable } from '../../doubles/in-memory-batch-table.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryFileReceiptTable } from '../../doubles/in-memory-file-receipt-table.ts';
import { inMemoryGuardTable } from '../../doubles/in-memory-guard-table.ts';
import { inMemoryLaneTable } from '../../doubles/in-memory-lane-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestTable } from '../../doubles/in-memory-request-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { inMemoryTicketQueue } from '../../doubles/in-memory-ticket-queue.ts';
import { inMemoryWaitingPages } from '../../doubles/in-memory-waiting-pages.ts';
import type { Step } from '../../doubles/step.ts';
import { checkListingWrite } from '../checks/listing-writes.ts';
import { dueZeros } from '../checks/sends.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import { callerOf } from './caller.ts';
import { leavingSome } from './left-undone.ts';
import type { MessageQueue } from './message-queue.ts';
import { type RowName, targetOfRow } from './sent-rows.ts';
import type { World } from './world.ts';

/** The ports of one process: the doubles, with the production client and limiter over them. */
export function portsOf(world: World, process: SimulatedProcess, wakeQueue: MessageQueue) {
  const { tables, simulation } = world;
  const { step } = process;
  const { own, limiter, client } = callerOf(world, process);
  const acceptTicket = (ticket: { storeClientId: string }, delayMs: number) => {
    if (!simulation.faults.strikes('ticket lost')) wakeQueue.send(JSON.stringify(ticket), delayMs);
  };
  const rejections = inMemoryRejectionTable(step, tables.rejections);
  const events = inMemoryEventPublisher(step, tables.events);
  return {
    ...own,
    limiter,
    listings: watchedListings(world, process, own.clock),
    pages: inMemoryWaitingPages(step, tables.pages),
    guards: inMemoryGuardTable(step, tables.guards),
    lanes: inMemoryLaneTable(step, tables.lanes),
    stores: inMemoryStoreTable(step, tables.stores),
    batches: inMemoryBatchTable(step, tables.batches),
    requests: inMemoryRequestTable(step),
    rejections: { ...rejections, putAll: leavingSome(simulation, process, rejections.putAll) },
    changeEvents: inMemoryChangeEventTable(step),
    receipts: inMemoryFileReceiptTable(step),
    events: { publish: leavingSome(simulation, process, events.publish) },
    tickets: inMemoryTicketQueue(({ ticket, delayMs }) => acceptTicket(ticket, delayMs), step),
    calls: client,
    marketplace: watchedClient(world, process, client),
  };
}

/** Reports to the checks what a process reads when it looks for rows to send. */
function watchedListings(world: World, process: SimulatedProcess, clock: Clock): ListingTable {
  const { sends, tables, simulation } = world;
  const isProducer = process.name.startsWith('producer');
  const zerosOf = (storeClientId: string) =>
    dueZeros(tables.listings.all(), storeClientId, simulation.now - LOOK_BACK_MS);
  const step: Step = (operation, effect) =>
    process.step(operation, () => {
      const [name, storeClientId = '', from = ''] = operation.split(' ');
      if (name === 'waiting.query' && isProducer)
        sends.onLook(process, Number(from[0]), zerosOf(storeClientId));
      if (name !== 'listings.replace') return effect();
      const read = () => tables.listings.read(operation.slice(name.length + 1))?.value;
      const before = read();
      const result = effect();
      const after = read();
      checkListingWrite(simulation, before, after);
      return result;
    });
  const table = inMemoryListingTable(step, { items: tables.listings, pages: tables.pages }, clock);
  return {
    ...table,
    update: async (storeClientId, target, change, known, prepared) => {
      const isSettling = known !== undefined && isProducer;
      if (isSettling && simulation.faults.strikes('frozen before a row is settled')) await process.freeze();
      return table.update(storeClientId, target, change, known, prepared);
    },
    waiting: async function* (storeClientId, query) {
      let hasReadZeros = !query.among.includes(priorities.zeroStock);
      const noteZeros = () => {
        if (!hasReadZeros) sends.onZerosRead(process, zerosOf(storeClientId));
        hasReadZeros = true;
      };
      for await (const found of table.waiting(storeClientId, query)) {
        if (found.priority !== priorities.zeroStock) noteZeros();
        sends.onFound(process, found.listings);
        yield found;
      }
      noteZeros();
    },
  };
}

/** A read uses a time that was taken a little earlier, on a clock that may be behind. */
const LOOK_BACK_MS = 3_000;

/** Reports to the checks which targets a process has chosen for a request. */
function watchedClient(
  world: World,
  process: SimulatedProcess,
  client: MarketplaceClient,
): PushLanePorts['marketplace'] & Pick<MarketplaceClient, 'unbindStore'> {
  const watch = async <T>(
    { storeClientId }: { readonly storeClientId: string },
    items: readonly RowName[],
    options: CallOptions | undefined,
    call: (options: CallOptions) => Promise<T>,
  ): Promise<T> => {
    const targets = items.map(targetOfRow);
    const onOver = world.sends.onBegun(process, targets);
    const onAttempt: CallOptions['onAttempt'] = (attempt) => {
      world.sends.onSigned(process, {
        listings: world.listingsOf(storeClientId, targets),
        due: world.zerosToSee(storeClientId),
      });
      return options?.onAttempt?.(attempt) ?? Promise.resolve();
    };
    return call({ ...options, onAttempt }).finally(onOver);
  };
  return {
    listWarehouses: client.listWarehouses,
    unbindStore: client.unbindStore,
    updateStocks: (store, update, options) =>
      watch(store, update.items, options, (watched) => client.updateStocks(store, update, watched)),
    updatePrices: (store, update, options) =>
      watch(store, update.items, options, (watched) => client.updatePrices(store, update, watched)),
  };
}
