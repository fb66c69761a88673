import { expect } from 'vitest';
import type { BatchRecord } from '../../../shared/batches/model.ts';
import { batchAnswer } from '../../../shared/marketplace/batch.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import { deletedProducts } from '../../../shared/marketplace/product-changes.ts';
import type { BulkCommand, DeleteCommand, GivenProduct } from '../../../shared/products/model.ts';
import { createProductDomain } from '../../../shared/products/product-domain.ts';
import { performCommands } from '../../../shared/requests/use-cases/perform-commands.ts';
import { RequestTime } from '../../../shared/requests/use-cases/run-request.ts';
import { sweepRequests } from '../../../shared/requests/use-cases/sweep.ts';
import { NOW, setUp } from './update-setup.ts';

/** How the marketplace handles one request, given its rows. */
export type Reply = (rows: readonly unknown[]) => unknown;

/** Accepts all rows except those of the errors, in batch `batchId`. */
export const accept = (batchId: string, errors: readonly object[] = [], summary: object = {}): Reply => {
  return (rows) => ({
    success: true,
    requestId: `request of ${batchId}`,
    data: { batchId, summary: { total: rows.length, failed: errors.length, pending: 0, ...summary }, errors },
  });
};

/** Syncs, creations and deletions on the ledger, in memory; `replies` are those of the marketplace, call by call. */
export function setUpBulk(replies: readonly Reply[] = []) {
  const { ports, time, events, rejected, batches, stores } = setUp();
  const left = [...replies];
  const sent: { call: string; rows: readonly unknown[] }[] = [];
  const settings = { itemsPerRequest: 100 };
  const answerTo = async (call: string, rows: readonly unknown[], { onAttempt }: CallOptions = {}) => {
    await onAttempt?.({ number: 1, signedAt: time.now });
    sent.push({ call, rows });
    return (left.shift() ?? accept(`batch-${sent.length}`))(rows);
  };
  const bulk =
    (call: string) =>
    async (_: object, { products }: { products: readonly GivenProduct[] }, options?: CallOptions) =>
      batchAnswer.parse(await answerTo(call, products, options));
  const calls = {
    ...ports.calls,
    syncCatalog: bulk('syncCatalog'),
    syncVariantCatalog: bulk('syncVariantCatalog'),
    createProducts: bulk('createProducts'),
    createVariantProducts: bulk('createVariantProducts'),
    deleteProducts: async (_: object, { ids }: { ids: readonly unknown[] }, options?: CallOptions) =>
      deletedProducts.parse(await answerTo('deleteProducts', ids, options)),
  };
  /** The domain with the current settings. */
  const noLimit = new RequestTime(ports.clock, Number.POSITIVE_INFINITY);
  const domain = () =>
    createProductDomain({ ...ports, ...settings, calls: calls as never, batchDeadlineMs: 900_000 });
  const command = (facts: Partial<BulkCommand>): BulkCommand => ({
    storeClientId: 's-1',
    commandId: 'c-1',
    eventId: 'e-1',
    detailType: 'product.create.requested',
    time: NOW,
    products: [],
    ...facts,
  });
  const deletion = (ids: readonly unknown[]): DeleteCommand => ({
    ...command({}),
    detailType: 'product.delete.requested',
    ids,
  });
  const give = (...commands: readonly (BulkCommand | DeleteCommand)[]) =>
    performCommands(ports, domain(), commands, noLimit);
  const sweep = () =>
    sweepRequests(
      { ...ports, domainOf: domain },
      { signal: new AbortController().signal, onFailure: () => expect.unreachable() },
    );
  const recorded = (): BatchRecord[] => [...batches.entries()].map(([, batch]) => batch);
  return {
    ports,
    time,
    events,
    rejected,
    stores,
    settings,
    calls,
    sent,
    command,
    deletion,
    give,
    sweep,
    batches: recorded,
  };
}
