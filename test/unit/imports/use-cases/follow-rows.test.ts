import { describe, expect, test } from 'vitest';
import { takeChanges } from '../../../../shared/changes/use-cases/take-changes.ts';
import { writeIncomingEvent } from '../../../../shared/events/incoming.ts';
import type { ContinuedImport } from '../../../../shared/imports/import-message.ts';
import type { FileEvent } from '../../../../shared/imports/ports.ts';
import { followRows } from '../../../../shared/imports/use-cases/follow-rows.ts';
import { showImport } from '../../../../shared/imports/use-cases/show-import.ts';
import type { Notation } from '../../../../shared/stores/notation.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { laneWorld, type SentRequest, STORE } from '../../lanes/lane-world.ts';
import { PUT_AT, type PutFile, putFile } from './put-file.ts';

/** The marketplace rejects each row of a product that it does not have. */
function rejectUnknown({ items }: SentRequest) {
  return {
    errors: items.flatMap((item, rowIndex) => {
      const { sku = '' } = item as { sku?: string };
      if (!sku.startsWith('UNKNOWN')) return [];
      return [{ rowIndex, sku, code: 'INV_001', message: `there is no product with the SKU ${sku}` }];
    }),
  };
}

/** Imports a file of the store, has its rows taken and sent, and follows them. */
function setUp(file: PutFile) {
  const world = laneWorld({ reply: rejectUnknown });
  const sent: FileEvent[] = [];
  const put = putFile({ ...file, store: { ...file.store, storeClientId: STORE } });
  put.ports.queue.send = async (events) => void sent.push(...events);
  const waits: number[] = [];
  let now = PUT_AT + 60_000;
  const ports = {
    ...put.ports,
    receipts: world.ports.receipts,
    batches: world.ports.batches,
    storeListings: world.ports.listings,
    importQueue: {
      send: async (message: ContinuedImport, delayMs = 0) => {
        expect(message).toEqual({ importId: put.importId, isFollowed: true });
        waits.push(delayMs);
      },
    },
    clock: { now: () => now },
  };
  const take = (event: FileEvent) =>
    takeChanges(world.ports, [
      { messageId: event.id, sentAt: PUT_AT + 10_000, body: writeIncomingEvent(event as never) },
    ]);
  const view = async () => {
    const record = put.record();
    if (record === undefined) throw new Error('the file was not imported');
    return showImport(
      { ...world.ports, requests: {}, rejections: inMemoryRejectionTable() } as never,
      record,
    );
  };
  return {
    world,
    view,
    waits,
    reports: put.report,
    /** The store says another notation of its files. */
    renotate: (numbers: Notation) => {
      const { get } = put.ports.stores;
      put.ports.stores.get = async () => ({ ...(await get()), numbers });
    },
    read: async () => {
      await world.connect();
      await put.read();
    },
    /** Has so many of the file's messages taken. */
    take: async (messages = sent.length) => {
      for (const event of sent.splice(0, messages)) await take(event);
    },
    /** Has other stock of these products taken: by default newer than that of the file. */
    replace: (skus: readonly string[], { stock = 9, time = PUT_AT + 1_000 } = {}) =>
      take({
        id: `other-${time}`,
        time,
        detailType: 'stock.changed',
        detail: { storeClientId: STORE, items: skus.map((sku) => ({ sku, stock })) },
      }),
    later: (ms: number) => {
      now += ms;
    },
    follow: (stopAt = Number.POSITIVE_INFINITY) => followRows(ports, put.importId, stopAt),
    lose: () => {
      put.ports.files.open = async () => undefined as never;
    },
  };
}

const key = `stock/${STORE}/a.csv`;
const content = 'sku,stock\nKNOWN,5\n"UNKNOWN, 1",7\nBAD,x\n';

describe('the rows of a stock file', () => {
  test('are open until the marketplace has answered, then counted by its answers, with the batches', async () => {
    const { world, read, take, follow, view, waits } = setUp({ key, content });
    await read();
    expect(await follow()).toBe(false);
    await take();
    expect(await follow()).toBe(false);
    expect(await view()).toMatchObject({ state: 'open', rows: { accepted: 0, open: 2 } });
    expect(waits).toEqual([1_000, 1_000]);
    await world.push();
    expect(await follow()).toBe(true);
    expect(await view()).toMatchObject({
      state: 'completed_with_errors',
      rows: { read: 3, sent: 2, accepted: 1, rejected: { CELL_INVALID: 1, INV_001: 1 }, open: 0 },
      batches: [{ kind: 'stock', rows: { sent: 2, rejected: 1 } }],
    });
    expect(await follow()).toBeUndefined();
  });

  test('are in the report with their text in the file and the marketplace’s reason, where they were rejected', async () => {
    const { world, read, take, follow, reports } = setUp({ key, content });
    await read();
    await take();
    await world.push();
    await follow();
    expect(reports()).toMatchObject([
      { _rejection: { number: 4, text: 'BAD,x' } },
      {
        sku: 'UNKNOWN, 1',
        stock: 7,
        _rejection: {
          number: 3,
          code: 'INV_001',
          message: 'there is no product with the SKU UNKNOWN, 1',
          text: '"UNKNOWN, 1",7',
        },
      },
    ]);
  });

  test('are in the report with the numbers that were sent, whatever notation the store has meanwhile', async () => {
    const { world, read, take, follow, reports, renotate } = setUp({
      key,
      content: 'sku;stock\nUNKNOWN;1.234\n',
      store: { numbers: { decimal: ',' } },
    });
    await read();
    await take();
    await world.push();
    renotate({ decimal: '.' });
    await follow();
    expect(reports()).toMatchObject([{ sku: 'UNKNOWN', stock: 1234, _rejection: { code: 'INV_001' } }]);
  });

  test('are in the report by the name of their product once the file is gone', async () => {
    const { world, read, take, follow, lose, reports } = setUp({ key, content });
    await read();
    await take();
    await world.push();
    lose();
    await follow();
    expect(reports()[1]).toMatchObject({ sku: 'UNKNOWN, 1', _rejection: { number: 3, code: 'INV_001' } });
  });

  test('count as superseded, and not as rejected, where a newer value came before their outcome was seen', async () => {
    const { world, read, take, replace, follow, view } = setUp({
      key,
      content: 'sku,stock\nKNOWN,5\nUNKNOWN,7\n',
    });
    await read();
    await take();
    await replace(['KNOWN', 'UNKNOWN']);
    await world.push();
    await follow();
    expect(await view()).toMatchObject({
      state: 'completed',
      rows: { read: 2, sent: 2, accepted: 0, superseded: 2, rejected: {}, open: 0 },
    });
  });

  test.each(['before', 'after'])(
    'count as superseded where a smaller stock of the same version was taken %s them',
    async (order) => {
      const { world, read, take, replace, follow, view } = setUp({
        key,
        content: 'sku,stock\nKNOWN,5\nSAME,3\n',
      });
      await read();
      const takeOther = () => replace(['KNOWN', 'SAME'], { stock: 3, time: PUT_AT });
      if (order === 'before') await takeOther();
      await take();
      if (order === 'after') await takeOther();
      await world.push();
      await follow();
      expect(await view()).toMatchObject({
        state: 'completed',
        rows: { read: 2, sent: 2, accepted: 1, superseded: 1, rejected: {}, open: 0 },
      });
    },
  );

  test('keep the outcome that was seen when newer values come', async () => {
    const known = Array.from({ length: 100 }, (_, index) => `K-${index}`);
    const { world, read, take, replace, follow, view } = setUp({
      key,
      content: `sku,stock\n${known.map((sku) => `${sku},5\n`).join('')}UNKNOWN,7\n`,
    });
    await read();
    await take(1);
    await world.push();
    expect(await follow()).toBe(false);
    expect(await view()).toMatchObject({ state: 'open', rows: { accepted: 100, open: 1 } });
    await replace(known);
    await take();
    await world.push();
    expect(await follow()).toBe(true);
    const { rows } = await view();
    expect(rows).toEqual({ read: 101, sent: 101, accepted: 100, rejected: { INV_001: 1 }, open: 0 });
  });

  test('are rejected by line where change-intake refuses them', async () => {
    const { world, read, take, follow, view, reports } = setUp({ key, content: 'sku,stock\nA,5\nKNOWN,5\n' });
    await read();
    await world.change('stock.changed', 7, [{ sku: 'A', stock: 1 }]);
    await take();
    await world.push();
    await follow();
    expect(await view()).toMatchObject({ rows: { accepted: 1, rejected: { VERSION_KIND: 1 }, open: 0 } });
    expect(reports()).toMatchObject([
      { sku: 'A', stock: 5, _rejection: { number: 2, code: 'VERSION_KIND', text: 'A,5' } },
    ]);
  });

  test('are looked at less often the longer they wait', async () => {
    const { read, take, follow, later, waits } = setUp({ key, content });
    await read();
    await take();
    later(3_600_000);
    await follow();
    later(36_000_000);
    await follow();
    expect(waits).toEqual([360_000, 900_000]);
  });
});
