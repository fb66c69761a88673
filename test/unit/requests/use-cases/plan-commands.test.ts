import { expect, test } from 'vitest';
import type { Domain } from '../../../../shared/requests/domain.ts';
import type { Command } from '../../../../shared/requests/model.ts';
import { planCommands } from '../../../../shared/requests/use-cases/plan-commands.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../../doubles/in-memory-request-archive.ts';
import { inMemoryRequestTable } from '../../../doubles/in-memory-request-table.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { connectedStore } from '../fake-ledger.ts';

test('a large command is read as a whole once, however many requests it has', async () => {
  let reads = 0;
  const items = Object.assign([1, 2, 3], { toJSON: () => ++reads && 'rows' });
  const ids = {
    storeClientId: 's-1',
    commandId: 'c-1',
    eventId: 'e-1',
    detailType: 'product.delete.requested',
  };
  const command: Command & { items: readonly number[] } = { ...ids, time: 0, items };
  const plan: Domain<typeof command>['plan'] = () => ({
    requests: items.map((item, index) => ({
      kind: 'product-deletion',
      rows: [{ command, index, item, names: {} }],
    })),
    rejections: [],
  });
  let recordIds = 0;
  const requests = inMemoryRequestTable();
  const ports = {
    requests,
    archive: inMemoryRequestArchive(),
    rejections: inMemoryRejectionTable(),
    events: inMemoryEventPublisher(),
    clock: { now: () => 0, sleep: async () => {} },
    newId: () => `r-${++recordIds}`,
    random: () => 0,
    attemptLifetimeMs: 30_000,
    stores: inMemoryStoreTable(),
  };
  const plans = await planCommands(
    ports,
    { plan } as Domain<typeof command>,
    [command],
    connectedStore('s-1'),
  );
  const [stored] = [...plans.values()];
  expect(stored?.recordIds).toEqual(['r-1', 'r-2', 'r-3']);
  for (const recordId of stored?.recordIds ?? []) {
    const { recordIds: all, digest } = (await requests.get(recordId))?.commands[0] ?? {};
    expect({ recordIds: all, digest }).toEqual({ recordIds: stored?.recordIds, digest: stored?.digest });
  }
  expect(reads).toBe(1);
});
