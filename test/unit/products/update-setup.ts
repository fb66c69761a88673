import { expect, vi } from 'vitest';
import { externalIdOf } from '../../../local/run/catalog.ts';
import type { BatchRecord } from '../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import type { UpdateCommand } from '../../../shared/products/model.ts';
import type { ListingChanges } from '../../../shared/products/ports.ts';
import { createUpdateRequests } from '../../../shared/products/update-requests.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import type { Domain } from '../../../shared/requests/domain.ts';
import { performCommands } from '../../../shared/requests/use-cases/perform-commands.ts';
import { RequestTime } from '../../../shared/requests/use-cases/run-request.ts';
import { sweepRequests } from '../../../shared/requests/use-cases/sweep.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { inMemoryBatchTable } from '../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../doubles/in-memory-request-archive.ts';
import { inMemoryLockTable, inMemoryRequestTable } from '../../doubles/in-memory-request-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { directly } from '../../doubles/step.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { fail } from '../support/failure.ts';

export const NOW = Date.parse('2026-11-21T08:00:00.000Z');
export const LIFETIME_MS = 30_000;
export const productId = externalIdOf(7);
export const answer = { success: true, requestId: 'r', data: { id: productId, updatedFields: ['name'] } };
export const cut = fail({ code: 'CONNECTION_CUT', outcome: 'unknown', retryable: true });
export const cutAlways = Array.from({ length: 6 }, () => cut);

type Reply = () => unknown;

export const store: Store = {
  storeClientId: 's-1',
  storeToken: 'token-1',
  state: 'connected',
  names: { products: 'sku', orders: 'orderId' },
  connectedAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
};

/** Updates of products on the ledger, in memory; `replies` are those of the marketplace, update by update. */
export function setUp(
  replies: readonly Reply[] = [],
  product: object = { id: productId, sku: 'A', price: 100 },
) {
  const left = [...replies];
  const time = { now: NOW };
  const events: OutgoingEvent[] = [];
  const rejections = new Map<string, Rejection>();
  const changes: ListingChanges[] = [];
  const calls: { call: string; changes?: object }[] = [];
  const stores = new Map<string, Store>([['s-1', store]]);
  const batches = new VersionedItems<BatchRecord>();
  let ids = 0;
  const ports = {
    requests: inMemoryRequestTable(),
    locks: inMemoryLockTable(),
    archive: inMemoryRequestArchive(),
    batches: inMemoryBatchTable(directly, batches),
    stores: inMemoryStoreTable(directly, stores),
    rejections: inMemoryRejectionTable(directly, rejections),
    events: inMemoryEventPublisher(directly, events),
    changes: {
      send: vi.fn(async (some: ListingChanges) => void changes.push(some)),
      sendCreated: vi.fn(async (_created: object) => {}),
      sendRenamed: vi.fn(async (_renamed: object) => {}),
    },
    calls: {
      getProduct: async () => {
        calls.push({ call: 'getProduct' });
        return { data: product } as never;
      },
      updateProduct: async (_: object, { changes: sent }: { changes: object }, options: CallOptions = {}) => {
        await options.onAttempt?.({ number: 1, signedAt: time.now });
        calls.push({ call: 'updateProduct', changes: sent });
        return (left.shift() ?? (() => answer))() as never;
      },
    },
    clock: { now: () => time.now, sleep: async () => {} },
    random: () => 0,
    newId: () => `id-${++ids}`,
    attemptLifetimeMs: LIFETIME_MS,
  };
  const noLimit = new RequestTime(ports.clock, Number.POSITIVE_INFINITY);
  const domain: Domain<UpdateCommand> = {
    ...createUpdateRequests({
      ...ports,
      calls: ports.calls as never,
      itemsPerRequest: 100,
      batchDeadlineMs: 900_000,
    }),
    detailTypes: ['product.update.requested'],
    read: () => expect.unreachable(),
    isRepeatable: true,
  };
  /** Performs an update of `minute`, at the time `now` if it is given. */
  const update = async (
    commandId: string,
    given: object,
    over: Partial<UpdateCommand> & { now?: number } = {},
  ) => {
    const { now = time.now, ...rest } = over;
    time.now = now;
    const command: UpdateCommand = {
      storeClientId: 's-1',
      commandId,
      eventId: commandId,
      detailType: 'product.update.requested',
      time: NOW,
      productId,
      changes: { ...given },
      ...rest,
    };
    const end = (await performCommands(ports, domain, [command], noLimit)).get(command);
    return end ?? expect.unreachable();
  };
  const sweep = () =>
    sweepRequests(
      { ...ports, domainOf: () => domain },
      { signal: new AbortController().signal, onFailure: () => expect.unreachable() },
    );
  const at = (minute: number) => ({ time: NOW + minute * 60_000 });
  return {
    ports,
    time,
    update,
    sweep,
    at,
    events,
    stores,
    batches,
    changes,
    calls,
    rejected: () => [...rejections.values()],
    sent: () => calls.flatMap((one) => one.changes ?? []),
  };
}
