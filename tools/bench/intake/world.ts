import { skuOf } from '../../../local/run/catalog.ts';
import type { ChangeMessage } from '../../../shared/changes/rules/read-changes.ts';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { inMemoryChangeEventTable } from '../../../test/doubles/in-memory-change-event-table.ts';
import { inMemoryEventPublisher } from '../../../test/doubles/in-memory-event-publisher.ts';
import { inMemoryFileReceiptTable } from '../../../test/doubles/in-memory-file-receipt-table.ts';
import { inMemoryGuardTable } from '../../../test/doubles/in-memory-guard-table.ts';
import { inMemoryListingTable } from '../../../test/doubles/in-memory-listing-table.ts';
import { directly, type Step } from '../../../test/doubles/step.ts';

/** Stock changes as messages of the changes queue, spread over stores and over the listings of each. */
export function messagesOf(
  changes: number,
  { listings, stores = 1, version }: { listings: number; stores?: number; version: number },
): ChangeMessage[] {
  const stride = Math.max(1, Math.floor((listings * stores) / changes));
  return Array.from({ length: changes }, (_, index) => {
    const storeClientId = `store-${index % stores}`;
    const sku = skuOf((Math.floor(index / stores) * stride) % listings);
    const detail = { storeClientId, version, items: [{ sku, stock: version }] };
    const id = `event-${version}-${index}`;
    return {
      messageId: `message-${index}`,
      sentAt: 0,
      body: JSON.stringify({ id, 'detail-type': 'stock.changed', detail }),
    };
  });
}

/** The intake over tables in memory. `calls` counts their calls, and those that run at the same time as one round. */
export function intakeWorld(clock: Pick<Clock, 'now' | 'sleep'>, callMs = 0) {
  let calls = 0;
  const step: Step =
    callMs === 0
      ? directly
      : async (_, effect) => {
          calls += 1;
          await clock.sleep(callMs);
          return effect();
        };
  const names = { products: 'sku', orders: 'orderId' };
  const ports = {
    listings: inMemoryListingTable(step, undefined, clock),
    guards: inMemoryGuardTable(step),
    stores: {
      get: (storeClientId: string) => step('', () => ({ storeClientId, names, state: 'connected' }) as never),
    },
    rejections: { putAll: async () => {} },
    changeEvents: inMemoryChangeEventTable(),
    receipts: inMemoryFileReceiptTable(),
    events: inMemoryEventPublisher(),
    tickets: { send: async () => {} },
    clock: clock as Clock,
  };
  return {
    calls: () => calls,
    /** @throws Error unless each change is accepted */
    take: async (messages: readonly ChangeMessage[]): Promise<void> => {
      const { accepted, failures } = await takeChanges(ports, messages);
      if (accepted === messages.length) return;
      throw new Error(`${accepted} of ${messages.length} changes were taken`, { cause: failures[0] });
    },
  };
}
