import { describe, expect, test } from 'vitest';
import type { OnFailure } from '../../../../shared/errors/set-apart.ts';
import { performProductCommand } from '../../../../shared/products/use-cases/perform-product-command.ts';
import { type SweepPorts, sweep } from '../../../../shared/products/use-cases/sweep.ts';
import { externalIdOf, simpleProduct, skuOf } from '../../../run/catalog.ts';
import { fail, failure } from '../../support/failure.ts';
import { accept, connectedStore, NOW, productPorts, type Reply } from '../product-ports.ts';

const HOUR = 3_600_000;
const killed = new Error('killed');
const die: Reply = () => {
  throw killed;
};
const cut = fail({ code: 'CONNECTION_CUT', outcome: 'unknown', retryable: true });
const cutAlways = () => Array.from({ length: 6 }, () => cut);

function setUp(replies: Reply[] = []) {
  const { ports, seen } = productPorts(replies);
  /** SKUs and IDs of what is at the marketplace. */
  const there = new Set<string>();
  const reads: string[] = [];
  const read = async (name: string) => {
    reads.push(name);
    if (there.has(name)) return { data: { id: name } } as never;
    throw failure('PRD_014');
  };
  let now = NOW;
  const common = {
    ...ports,
    clock: { ...ports.clock, now: () => now },
  };
  const sweepPorts: SweepPorts = {
    ...common,
    pageSize: 50,
    marketplace: {
      getProductBySku: (_, { sku }) => read(sku),
      getProduct: (_, { productId }) => read(productId),
      listProducts: async () => {
        throw new Error('nothing to list for');
      },
    },
  };
  const give = (detailType: string, detail: object) =>
    performProductCommand(common, {
      messageId: 'm-1',
      sentAt: NOW,
      body: JSON.stringify({
        'detail-type': detailType,
        detail: { storeClientId: 's-1', commandId: 'c-1', ...detail },
      }),
    });
  const failed: OnFailure = (error) => {
    throw error;
  };
  const sweepAfter = (ms: number, onFailure = failed) => {
    now = NOW + ms;
    return sweep(sweepPorts, {
      callBudget: 100,
      graceMs: 900_000,
      signal: new AbortController().signal,
      onFailure,
    });
  };
  const batches = async () => (await common.batches.list({ storeClientId: 's-1' })).batches;
  const told = () => seen.events.map(({ detailType }) => detailType);
  return { ports: common, seen, there, reads, give, sweepAfter, batches, told };
}

const create = (count = 2) => ({
  products: Array.from({ length: count }, (_, index) => simpleProduct(index + 1)),
});

describe('a pack whose answer never came', () => {
  test('begins a batch that names its commands, and whose rows name theirs', async () => {
    const { ports, sweepAfter, there, batches } = setUp([die]);
    const parts = [1, 2].map((number) => ({
      commandId: `c-${number}`,
      eventId: `e-${number}`,
      time: NOW,
      products: [simpleProduct(number)],
    }));
    const facts = { packId: 'p-1', storeClientId: 's-1', detailType: 'product.create.requested' };
    const body = JSON.stringify({ pack: { ...facts, parts } });
    await expect(performProductCommand(ports, { messageId: 'm-1', sentAt: NOW, body })).rejects.toBe(killed);
    there.add(skuOf(1));
    await sweepAfter(HOUR + 1);
    const [batch] = await batches();
    expect(batch).toMatchObject({
      commandIds: ['c-1', 'c-2'],
      rejectedRows: [{ code: 'NOT_FOUND_BY_READ_BACK', command: { commandId: 'c-2', productIndex: 0 } }],
    });
    expect(batch).not.toHaveProperty('commandId');
  });
});

describe('a creation whose answer never came', () => {
  test('is accounted for by reading its rows back, once its command does not come again', async () => {
    const { give, sweepAfter, there, reads, batches, told } = setUp([die]);
    await expect(give('product.create.requested', create())).rejects.toBe(killed);
    there.add(skuOf(1));
    expect(await sweepAfter(HOUR)).toMatchObject({ abandoned: 0 });
    expect(reads).toEqual([]);
    expect(await sweepAfter(HOUR + 1)).toMatchObject({ abandoned: 1, resolved: 1 });
    expect(await batches()).toEqual([
      expect.objectContaining({
        batchId: 'attempt-1',
        kind: 'product-create',
        commandId: 'c-1',
        state: 'completed_with_errors',
        rows: { sent: 2, accepted: 1, rejected: 1, unknown: 0 },
        rejectedRows: [
          expect.objectContaining({ rowIndex: 1, sku: skuOf(2), code: 'NOT_FOUND_BY_READ_BACK' }),
        ],
      }),
    ]);
    expect(told()).toEqual(['batch.submitted', 'batch.completed', 'rows.rejected']);
  });

  test('is over: its command, should it come after all, sends nothing', async () => {
    const { give, sweepAfter, seen, batches } = setUp([die]);
    await expect(give('product.create.requested', create())).rejects.toBe(killed);
    await sweepAfter(2 * HOUR);
    expect(await give('product.create.requested', create())).toMatchObject({ requests: 0 });
    expect(seen.sent).toHaveLength(1);
    expect(await batches()).toHaveLength(1);
  });

  test('is left to its command as long as that comes again', async () => {
    const { give, sweepAfter, seen, ports } = setUp([...cutAlways(), accept('b-1')]);
    await give('product.create.requested', create());
    expect(await sweepAfter(HOUR)).toMatchObject({ abandoned: 0 });
    await performProductCommand(ports, { messageId: 'm-2', sentAt: NOW, body: seen.later[0]?.body ?? '' });
    expect(await sweepAfter(3 * HOUR)).toMatchObject({ abandoned: 0 });
  });

  test('is left to its command while its store is not connected, for a week', async () => {
    const { give, sweepAfter, seen, batches, told } = setUp(cutAlways());
    await give('product.create.requested', create());
    seen.stores.set('s-1', { ...connectedStore('s-1'), state: 'suspended' });
    expect(await sweepAfter(7 * 24 * HOUR)).toMatchObject({ abandoned: 0 });
    expect(await sweepAfter(7 * 24 * HOUR + 1)).toMatchObject({ abandoned: 1, open: 1 });
    expect(await sweepAfter(8 * 24 * HOUR)).toMatchObject({ unresolved: 1 });
    expect(await batches()).toEqual([
      expect.objectContaining({
        state: 'unresolved',
        rows: { sent: 2, accepted: 0, rejected: 0, unknown: 2 },
      }),
    ]);
    expect(told()).toContain('batch.unresolved');
  });

  test('is left to its command when its store has just come back', async () => {
    const { give, sweepAfter, seen } = setUp(cutAlways());
    await give('product.create.requested', create());
    const updatedAt = new Date(NOW + 5 * HOUR).toISOString();
    seen.stores.set('s-1', { ...connectedStore('s-1'), updatedAt });
    expect(await sweepAfter(6 * HOUR)).toMatchObject({ abandoned: 0 });
    expect(await sweepAfter(6 * HOUR + 1)).toMatchObject({ abandoned: 1 });
  });
});

test('a command that died before it sent anything owes no answer, and may come again', async () => {
  const { give, ports, sweepAfter, batches, seen } = setUp([accept('b-1')]);
  const { put } = ports.requests;
  ports.requests.put = async () => {
    throw killed;
  };
  await expect(give('product.create.requested', create())).rejects.toBe(killed);
  ports.requests.put = put;
  expect(await sweepAfter(2 * HOUR)).toMatchObject({ abandoned: 0 });
  expect(await batches()).toEqual([]);
  expect(await give('product.create.requested', create())).toMatchObject({ requests: 1 });
  expect(seen.sent).toHaveLength(1);
});

describe('what waits for a store is discarded, and a command had died before it sent anything', () => {
  async function dieBeforeSending(times: number) {
    const world = setUp();
    const { give, ports, seen } = world;
    const { put } = ports.requests;
    ports.requests.put = async () => {
      throw killed;
    };
    const command = () => give('product.create.requested', create());
    for (let died = 0; died < times; died += 1) await expect(command()).rejects.toBe(killed);
    ports.requests.put = put;
    seen.stores.set('s-1', { ...connectedStore('s-1'), discardedAt: new Date(NOW + HOUR).toISOString() });
    expect(await command()).toMatchObject({ requests: 0, rejected: 0 });
    return world;
  }

  test.each([1, 2])(
    'its rows are rejected once nobody can have sent them any more: %i tries',
    async (times) => {
      const { sweepAfter, seen, batches } = await dieBeforeSending(times);
      expect(await sweepAfter(HOUR + 1)).toMatchObject({ abandoned: 1 });
      expect(seen.rejections).toMatchObject([
        { code: 'COMMAND_DISCARDED', commandId: 'c-1', rowIndex: 0 },
        { code: 'COMMAND_DISCARDED', commandId: 'c-1', rowIndex: 1 },
      ]);
      expect(await batches()).toEqual([]);
      expect(await sweepAfter(3 * HOUR)).toMatchObject({ abandoned: 0 });
    },
  );

  test('rows that an archive may have forgotten are unknown', async () => {
    const { sweepAfter, seen, batches } = await dieBeforeSending(2);
    seen.stores.clear();
    expect(await sweepAfter(25 * HOUR)).toMatchObject({ abandoned: 1 });
    expect(seen.rejections).toEqual([]);
    expect(await batches()).toMatchObject([{ rows: { sent: 2, unknown: 2 } }]);
  });
});

test('an answer that was kept by a command which died over it is recorded and announced', async () => {
  const { give, ports, sweepAfter, batches, reads, told } = setUp([accept('b-1')]);
  const { update } = ports.batches;
  ports.batches.update = async () => {
    throw killed;
  };
  await expect(give('product.create.requested', create())).rejects.toBe(killed);
  ports.batches.update = update;
  expect(await sweepAfter(2 * HOUR)).toMatchObject({ abandoned: 1 });
  expect(await batches()).toEqual([expect.objectContaining({ batchId: 'b-1', state: 'completed' })]);
  expect(reads).toEqual([]);
  expect(told()).toEqual(['batch.submitted', 'batch.completed']);
});

test('what an answer refused is reported for a command which died over it', async () => {
  const { give, ports, sweepAfter, seen } = setUp([fail({ code: 'VAL_001' })]);
  const { putAll } = ports.rejections;
  ports.rejections.putAll = async () => {
    throw killed;
  };
  await expect(give('product.create.requested', create(1))).rejects.toBe(killed);
  ports.rejections.putAll = putAll;
  expect(await sweepAfter(2 * HOUR)).toMatchObject({ abandoned: 1 });
  expect(seen.rejections).toMatchObject([{ code: 'VAL_001', rowIndex: 0, sku: skuOf(1) }]);
  expect(await sweepAfter(3 * HOUR)).toMatchObject({ abandoned: 0 });
});

test('records that can not be read are told of, and keep the sweep from nothing else', async () => {
  const { give, ports, sweepAfter, batches } = setUp([accept('b-1'), die]);
  const { publish } = ports.events;
  ports.events.publish = async () => {
    throw killed;
  };
  await expect(give('product.create.requested', create())).rejects.toBe(killed);
  ports.events.publish = publish;
  await expect(give('product.create.requested', { commandId: 'c-2', ...create() })).rejects.toBe(killed);
  const [batch] = await batches();
  await ports.batches.update('b-broken', () => ({ ...batch, batchId: 'b-broken', rows: 'none' }) as never);
  const { steps } = await ports.commands.listOpen({ begunBefore: '9999' });
  await ports.commands.update('broken', () => ({ ...steps[0], commandId: 'broken', tries: 'none' }) as never);
  const failures: string[] = [];
  const report = await sweepAfter(2 * HOUR, (error) => failures.push(String(error)));
  expect(report).toMatchObject({ announced: 1, abandoned: 2, resolved: 1 });
  expect(failures).toEqual([
    expect.stringContaining('Batches {"batchId":"b-broken"} can not be read'),
    expect.stringContaining('Commands {"commandId":"broken"} can not be read'),
  ]);
});

test('a batch that was recorded by somebody who died over it is announced', async () => {
  const { give, ports, sweepAfter, told } = setUp([accept('b-1')]);
  const { publish } = ports.events;
  ports.events.publish = async () => {
    throw killed;
  };
  await expect(give('product.create.requested', create())).rejects.toBe(killed);
  ports.events.publish = publish;
  expect(await sweepAfter(5 * 60_000)).toMatchObject({ announced: 0 });
  expect(await sweepAfter(5 * 60_000 + 1)).toMatchObject({ announced: 1 });
  expect(told()).toEqual(['batch.submitted', 'batch.completed']);
  expect(await sweepAfter(2 * HOUR)).toMatchObject({ announced: 0 });
  expect(told()).toHaveLength(2);
});

describe('a command of one product whose answer never came', () => {
  const id = externalIdOf(1);

  test('has deleted it, if it is gone', async () => {
    const { give, sweepAfter, batches } = setUp([die]);
    await expect(give('product.delete.requested', { ids: [id] })).rejects.toBe(killed);
    expect(await sweepAfter(2 * HOUR)).toMatchObject({ abandoned: 1, resolved: 1 });
    expect(await batches()).toEqual([
      expect.objectContaining({
        kind: 'product-deletion',
        state: 'completed',
        rows: expect.objectContaining({ accepted: 1 }),
      }),
    ]);
  });

  test('has updated it, if it shows the values', async () => {
    const update = (name: string, commandId: string) => ({ productId: id, commandId, changes: { name } });
    const { give, sweepAfter, batches, reads } = setUp([die]);
    await expect(give('product.update.requested', update('A', 'c-1'))).rejects.toBe(killed);
    expect(await sweepAfter(2 * HOUR)).toMatchObject({ abandoned: 1, resolved: 1 });
    expect(reads).toEqual([id]);
    expect(await batches()).toEqual([
      expect.objectContaining({
        kind: 'product-update',
        state: 'failed',
        rejectedRows: [expect.objectContaining({ id, code: 'NOT_CHANGED_BY_READ_BACK' })],
      }),
    ]);
  });
});
