import { describe, expect, test } from 'vitest';
import { batchFrom } from '../../../../shared/batches/rules/batch-record.ts';
import { giveBackRows } from '../../../../shared/batches/use-cases/retry-batch.ts';
import { performProductCommand } from '../../../../shared/products/use-cases/perform-product-command.ts';
import { externalIdOf, simpleProduct, skuOf } from '../../../run/catalog.ts';
import { shown } from '../../batches/batch-facts.ts';
import { fail } from '../../support/failure.ts';
import { accept, connectedStore, NOW, productPorts, type Reply } from '../product-ports.ts';

interface Part {
  readonly commandId: string;
  readonly products: readonly unknown[];
  readonly time?: number;
}

const part = (commandId: string, ...numbers: number[]): Part => ({
  commandId,
  products: numbers.map(simpleProduct),
});

function setUp(replies: Reply[] = [], settings = {}) {
  const { ports, seen, time } = productPorts(replies);
  const perform = (body: object) =>
    performProductCommand(
      { ...ports, ...settings },
      { messageId: 'message-1', sentAt: NOW, body: JSON.stringify(body) },
    );
  const givePack = (packId: string, ...parts: Part[]) =>
    perform({
      pack: {
        packId,
        storeClientId: 's-1',
        detailType: 'product.create.requested',
        parts: parts.map((one) => ({ time: NOW, eventId: `event of ${one.commandId}`, ...one })),
      },
    });
  const giveAlone = ({ commandId, products }: Part) =>
    perform({
      'detail-type': 'product.create.requested',
      detail: { storeClientId: 's-1', commandId, products },
    });
  const sentSkus = () => seen.sent.map(({ products }) => products.map(({ sku }) => sku));
  return { ports, seen, time, givePack, giveAlone, sentSkus };
}

describe('a pack', () => {
  test('goes out as one request, and its batch and its events name the commands', async () => {
    const { givePack, seen, sentSkus } = setUp([accept('b-1')]);
    expect(await givePack('p-1', part('c-1', 1), part('c-2', 2, 3))).toEqual({
      storeClientId: 's-1',
      packId: 'p-1',
      requests: 1,
      rejected: 0,
    });
    expect(sentSkus()).toEqual([[1, 2, 3].map(skuOf)]);
    const batch = seen.batches.get('b-1');
    expect(batch).toMatchObject({ commandIds: ['c-1', 'c-2'], rows: { accepted: 3 } });
    expect(batch).not.toHaveProperty('commandId');
    for (const { detail } of seen.events) expect(detail).toMatchObject({ commandIds: ['c-1', 'c-2'] });
    expect(seen.events).toHaveLength(2);
  });

  test.each([
    ['its position', { rowIndex: 2 }],
    ['its externalId alone', { externalId: externalIdOf(3) }],
    ['its SKU alone', { sku: skuOf(3) }],
  ])('a row that the marketplace rejects by %s is told of as the product of its command', async (_, name) => {
    const { givePack, seen } = setUp([accept('b-1', [{ code: 'PRD_002', message: 'exists', ...name }])]);
    await givePack('p-1', part('c-1', 1), part('c-2', 2, 3));
    const row = { rowIndex: 2, code: 'PRD_002', command: { commandId: 'c-2', productIndex: 1 } };
    expect(seen.batches.get('b-1')?.rejectedRows).toMatchObject([row]);
    expect(seen.events.at(-1)).toMatchObject({
      detailType: 'rows.rejected',
      detail: { commandIds: ['c-1', 'c-2'], rows: [row] },
    });
  });

  test('a row that breaks a rule is rejected under its own command and event, by its place there', async () => {
    const { givePack, seen, sentSkus } = setUp();
    const bad = { ...part('c-2', 2, 3), products: [simpleProduct(2), { ...simpleProduct(3), stock: 1.5 }] };
    expect(await givePack('p-1', part('c-1', 1), bad)).toMatchObject({ requests: 1, rejected: 1 });
    expect(sentSkus()).toEqual([[1, 2].map(skuOf)]);
    expect(seen.rejections).toEqual([
      expect.objectContaining({
        commandId: 'c-2',
        eventId: 'event of c-2',
        rowIndex: 1,
        field: 'detail.products.1.stock',
        rejectionId: `${new Date(NOW).toISOString()}#c-2#product.create.requested#1`,
      }),
    ]);
  });

  test('that is refused as a whole is halved down to the row at fault, which is told under its command', async () => {
    const refuse = fail({ code: 'VAL_001' });
    const { givePack, seen, sentSkus } = setUp([refuse, refuse, accept('b-1'), refuse, accept('b-2')]);
    await givePack('p-1', part('c-1', 1), part('c-2', 2), part('c-3', 3), part('c-4', 4));
    expect(sentSkus()).toEqual([[1, 2, 3, 4], [1, 2], [1], [2], [3, 4]].map((some) => some.map(skuOf)));
    expect(seen.rejections).toMatchObject([{ commandId: 'c-2', rowIndex: 0, code: 'VAL_001' }]);
    expect(seen.batches.get('b-1')).toMatchObject({ commandId: 'c-1' });
    expect(seen.batches.get('b-1')).not.toHaveProperty('commandIds');
    expect(seen.batches.get('b-2')).toMatchObject({ commandIds: ['c-3', 'c-4'] });
  });

  test('its open batch and its failed rows name the commands where they are given back', async () => {
    const { givePack, ports, seen } = setUp([accept('b-1', [{ code: 'SYS', rowIndex: 1 }])]);
    await givePack('p-1', part('c-1', 1), part('c-2', 2));
    expect((await giveBackRows(ports, 'b-1')).rows).toMatchObject([
      { row: { sku: skuOf(2) }, rejection: { command: { commandId: 'c-2', productIndex: 0 } } },
    ]);
    const { submission: made } = seen.batches.get('b-1') ?? {};
    await ports.batches.update(
      'b-1',
      () => made && batchFrom('b-1', { submission: { ...made, endsBy: 'summary', rejectedRows: [] } }),
    );
    expect((await shown(ports, 'b-1'))?.unknownRows).toMatchObject([
      { rowIndex: 0, command: { commandId: 'c-1', productIndex: 0 } },
      { rowIndex: 1, command: { commandId: 'c-2', productIndex: 0 } },
    ]);
  });

  test('that is not understood is left to the dead-letter queue, and told to nobody', async () => {
    const { givePack, seen } = setUp();
    await expect(givePack('p-1', part('c-1', 1))).rejects.toThrow();
    expect(seen.rejections).toEqual([]);
  });
});

describe('a command', () => {
  test('that stands in two packs is done by the first', async () => {
    const { givePack, sentSkus } = setUp();
    await givePack('p-1', part('c-1', 1), part('c-2', 2));
    expect(await givePack('p-2', part('c-2', 2), part('c-3', 3))).toMatchObject({ requests: 1 });
    expect(await givePack('p-3', part('c-1', 1), part('c-3', 3))).toMatchObject({ requests: 0, rejected: 0 });
    expect(sentSkus()).toEqual([[1, 2].map(skuOf), [skuOf(3)]]);
  });

  test('that comes alone and in a pack is done once, whichever is first', async () => {
    const { givePack, giveAlone, sentSkus } = setUp();
    await givePack('p-1', part('c-1', 1), part('c-2', 2));
    await giveAlone(part('c-2', 2));
    await giveAlone(part('c-3', 3));
    await givePack('p-2', part('c-3', 3), part('c-4', 4));
    expect(sentSkus()).toEqual([[1, 2].map(skuOf), [skuOf(3)], [skuOf(4)]]);
  });

  test('that stands in one pack twice is done once, and rejected once', async () => {
    const { givePack, seen, sentSkus } = setUp();
    const bad = { commandId: 'c-2', products: ['no object'] };
    await givePack('p-1', part('c-1', 1), part('c-1', 1), bad, bad);
    expect(sentSkus()).toEqual([[skuOf(1)]]);
    expect(seen.rejections).toHaveLength(1);
  });

  test('of another kind under the same ID is another command', async () => {
    const { givePack, ports, sentSkus } = setUp();
    await givePack('p-1', part('c-1', 1), part('c-2', 2));
    await performProductCommand(ports, {
      messageId: 'message-2',
      sentAt: NOW,
      body: JSON.stringify({
        'detail-type': 'catalog.sync.requested',
        detail: { storeClientId: 's-1', commandId: 'c-1', products: [simpleProduct(1)] },
      }),
    });
    expect(sentSkus()).toEqual([[1, 2].map(skuOf), [skuOf(1)]]);
  });
});

describe('a pack that comes again', () => {
  test('goes on with its own commands where it was left', async () => {
    const killed = new Error('killed');
    const die: Reply = () => {
      throw killed;
    };
    const { givePack, seen, sentSkus } = setUp([accept('b-1'), die, accept('b-2')], { itemsPerRequest: 2 });
    const give = () => givePack('p-1', part('c-1', 1, 2), part('c-2', 3));
    await expect(give()).rejects.toBe(killed);
    expect(await give()).toMatchObject({ requests: 1 });
    expect(sentSkus()).toEqual([[1, 2].map(skuOf), [skuOf(3)], [skuOf(3)]]);
    expect([...seen.batches.values()]).toMatchObject([
      { commandId: 'c-1', rows: { accepted: 2 } },
      { commandId: 'c-2', rows: { accepted: 1 } },
    ]);
  });

  test('waits as a whole while its store is not connected, by the age of its newest command', async () => {
    const { givePack, seen, time } = setUp();
    seen.stores.set('s-1', { ...connectedStore('s-1'), state: 'suspended' });
    time.now = NOW + 400_000;
    const parts = [part('c-1', 1), { ...part('c-2', 2), time: NOW + 200_000 }];
    expect(await givePack('p-1', ...parts)).toMatchObject({ putOff: 'STORE_NOT_CONNECTED', requests: 0 });
    expect(seen.later).toMatchObject([{ delayMs: 50_000 }]);
    seen.stores.set('s-1', connectedStore('s-1'));
    const again = await performProductCommand(setUp().ports, {
      messageId: 'm',
      sentAt: NOW,
      body: seen.later[0]?.body ?? '',
    });
    expect(again).toMatchObject({ packId: 'p-1', requests: 1 });
  });
});

describe('what waits for a store is discarded', () => {
  const discard = (seen: ReturnType<typeof setUp>['seen'], at: number) =>
    seen.stores.set('s-1', { ...connectedStore('s-1'), discardedAt: new Date(at).toISOString() });

  test('the commands of a pack given until then are rejected each by itself, later ones go on', async () => {
    const { givePack, seen, sentSkus } = setUp();
    discard(seen, NOW + 500);
    const parts = [part('c-1', 1), { ...part('c-2', 2), time: NOW + 1000 }, part('c-3', 3)];
    expect(await givePack('p-1', ...parts)).toMatchObject({ requests: 1, rejected: 2 });
    expect(sentSkus()).toEqual([[skuOf(2)]]);
    expect(seen.rejections).toMatchObject([
      { commandId: 'c-1', eventId: 'event of c-1', code: 'COMMAND_DISCARDED' },
      { commandId: 'c-3', eventId: 'event of c-3', code: 'COMMAND_DISCARDED' },
    ]);
  });

  test('the commands of a pack that waits with others are told of once, however often it comes again', async () => {
    const { givePack, seen } = setUp();
    discard(seen, NOW);
    seen.stores.set('s-1', { ...(seen.stores.get('s-1') ?? expect.unreachable()), state: 'suspended' });
    const parts = [part('c-1', 1), { ...part('c-2', 2), time: NOW + 1000 }];
    for (let deliveries = 0; deliveries < 3; deliveries += 1) {
      expect(await givePack('p-1', ...parts)).toMatchObject({ putOff: 'STORE_NOT_CONNECTED', rejected: 1 });
    }
    expect(seen.events).toMatchObject([{ detailType: 'rows.rejected', detail: { commandId: 'c-1' } }]);
  });

  const failing = (options: object) => Array.from({ length: 6 }, () => fail({ code: 'X', ...options }));
  const unknown = { outcome: 'unknown' } as const;
  const refusedForNow = { retryable: true };

  test('some of a pack that was begun already go on with the others: what it sends does not change', async () => {
    const { givePack, seen, sentSkus } = setUp([...failing(unknown), accept('b-1')]);
    const parts = [part('c-1', 1), { ...part('c-2', 2), time: NOW + 1000 }];
    expect(await givePack('p-1', ...parts)).toMatchObject({ putOff: 'X' });
    discard(seen, NOW + 500);
    expect(await givePack('p-1', ...parts)).toMatchObject({ requests: 1, rejected: 0 });
    expect(new Set(sentSkus().map(String))).toEqual(new Set([String([1, 2].map(skuOf))]));
  });

  test('all of a pack: the rows that surely were not sent are rejected, the others keep their outcome', async () => {
    const replies = [accept('b-1'), ...failing(refusedForNow)];
    const { givePack, seen } = setUp(replies, { itemsPerRequest: 2 });
    const parts = [part('c-1', 1, 2), part('c-2', 3), part('c-3', 4, 5)];
    expect(await givePack('p-1', ...parts)).toMatchObject({ putOff: 'X' });
    discard(seen, NOW);
    expect(await givePack('p-1', ...parts)).toMatchObject({ requests: 0, rejected: 3 });
    expect(await givePack('p-1', ...parts)).toMatchObject({ requests: 0, rejected: 0 });
    expect(seen.rejections.map(({ code, commandId, field }) => [code, commandId, field])).toEqual([
      ['COMMAND_DISCARDED', 'c-2', 'detail.products.0'],
      ['COMMAND_DISCARDED', 'c-3', 'detail.products.0'],
      ['COMMAND_DISCARDED', 'c-3', 'detail.products.1'],
    ]);
    expect([...seen.batches.keys()]).toEqual(['b-1']);
  });

  test('rows that may have been sent are left to be read back', async () => {
    const { givePack, seen, ports } = setUp(failing(unknown));
    const parts = [part('c-1', 1), part('c-2', 2)];
    await givePack('p-1', ...parts);
    discard(seen, NOW);
    expect(await givePack('p-1', ...parts)).toMatchObject({ requests: 0, rejected: 0 });
    const open = await ports.commands.listOpen({ begunBefore: '9999', limit: 10 });
    expect(open.steps).toMatchObject([{ state: 'sending', request: { rows: 2 } }]);
  });

  test('of halves of a request that was refused as a whole, those not sent yet are rejected', async () => {
    const whole = fail({ code: 'VAL_001' });
    const { givePack, seen } = setUp([whole, accept('b-1'), ...failing(refusedForNow)]);
    const parts = [part('c-1', 1), part('c-2', 2)];
    await givePack('p-1', ...parts);
    discard(seen, NOW);
    expect(await givePack('p-1', ...parts)).toMatchObject({ rejected: 1 });
    expect(seen.rejections).toMatchObject([{ code: 'COMMAND_DISCARDED', commandId: 'c-2', rowIndex: 0 }]);
  });

  test('a pack that is done already: nothing is said of it any more', async () => {
    const { givePack, seen } = setUp();
    const parts = [part('c-1', 1), part('c-2', 2)];
    await givePack('p-1', ...parts);
    discard(seen, NOW);
    expect(await givePack('p-1', ...parts)).toMatchObject({ requests: 0, rejected: 0 });
    expect(seen.rejections).toEqual([]);
  });
});

test('the commands of an unknown store are rejected each by itself', async () => {
  const { givePack, seen } = setUp();
  seen.stores.clear();
  expect(await givePack('p-1', part('c-1', 1), part('c-2', 2))).toMatchObject({ requests: 0, rejected: 2 });
  expect(seen.rejections).toMatchObject([
    { commandId: 'c-1', code: 'STORE_UNKNOWN' },
    { commandId: 'c-2', code: 'STORE_UNKNOWN' },
  ]);
});
