import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { importProducts } from './support/import-products.ts';
import { leaveLease } from './support/leave-lease.ts';

/** A separate product for each test that changes one. */
const first = skuOf(1);
const queued = skuOf(2);
const disordered = skuOf(3);
const left = skuOf(4);
const waiting = skuOf(5);

let run: ConnectorRun;

beforeAll(async () => {
  run = await startQuickRun();
  await importProducts(run, 'store-0wh', 5);
  await importProducts(run, 'store-2wh', 1);
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

const stockOf = async (storeClientId: string, sku: string) => {
  const state = await run.controls?.products(storeClientId);
  return state?.products.find((product) => product.sku === sku);
};

describe('stock.changed', () => {
  test('reaches the marketplace from the bus and ends in a completed batch', async () => {
    await run.partner.putEvents([
      {
        detailType: 'stock.changed',
        detail: { storeClientId: 'store-0wh', items: [{ sku: first, stock: 17 }] },
      },
    ]);
    await until('stock 17 at the marketplace', async () => (await stockOf('store-0wh', first))?.stock === 17);
    const { body } = await until('the batch record', async () => {
      const answer = await run.partner.callApi('GET', '/batches?kind=stock&storeClientId=store-0wh');
      return answer.body.batches.length > 0 && answer;
    });
    expect(body.batches[0]).toMatchObject({
      kind: 'stock',
      state: 'completed',
      rows: { sent: 1, accepted: 1, rejected: 0, unknown: 0 },
    });
    const record = await run.partner.getItem('BatchesTableName', { batchId: body.batches[0].batchId });
    expect(record).toMatchObject({ state: 'completed', storeClientId: 'store-0wh', kind: 'stock' });
  });

  test('reaches the marketplace when it is sent to the changes queue directly', async () => {
    const detail = { storeClientId: 'store-0wh', version: 1, items: [{ sku: queued, stock: 5 }] };
    await run.partner.sendChanges([JSON.stringify({ 'detail-type': 'stock.changed', detail })]);
    await until('stock 5 at the marketplace', async () => (await stockOf('store-0wh', queued))?.stock === 5);
  });

  test('keeps the newest value in any order of arrival', async () => {
    const change = (version: number, stock: number) =>
      JSON.stringify({
        'detail-type': 'stock.changed',
        detail: { storeClientId: 'store-0wh', version, items: [{ sku: disordered, stock }] },
      });
    await run.partner.sendChanges([
      change(12, 120),
      change(14, 140),
      change(11, 110),
      change(14, 140),
      change(13, 130),
    ]);
    await until(
      'stock 140 at the marketplace',
      async () => (await stockOf('store-0wh', disordered))?.stock === 140,
    );
    await run.partner.sendChanges([change(10, 100)]);
    await run.local.idle();
    expect((await stockOf('store-0wh', disordered))?.stock).toBe(140);
  });

  test('sets a warehouse to its own value and the others to the global one', async () => {
    const send = (version: number, item: object) =>
      run.partner.sendChanges([
        JSON.stringify({
          'detail-type': 'stock.changed',
          detail: { storeClientId: 'store-2wh', version, items: [{ sku: first, ...item }] },
        }),
      ]);
    await send(2, { warehouses: [{ clientId: 'wh-1', stock: 3 }] });
    await send(1, { stock: 50 });
    const stocks = await until('both warehouses at their values', async () => {
      const history = (await stockOf('store-2wh', first))?.history.stock ?? [];
      const last = new Map(history.map(({ clientId, stock }) => [clientId, stock]));
      return last.get('wh-1') === 3 && last.get('wh-2') === 50 && last;
    });
    expect(Object.fromEntries(stocks)).toEqual({ 'wh-1': 3, 'wh-2': 50 });
  });

  test('records an unknown SKU as rejected with the code of the marketplace, and does not send it again', async () => {
    await run.partner.putEvents([
      {
        detailType: 'stock.changed',
        detail: { storeClientId: 'store-1wh', items: [{ sku: 'NO-SUCH', stock: 1 }] },
      },
    ]);
    const batch = await until('the batch record', async () => {
      const answer = await run.partner.callApi('GET', '/batches?kind=stock&storeClientId=store-1wh');
      return answer.body.batches[0];
    });
    expect(batch).toMatchObject({ state: 'failed', rejectedRows: [{ code: 'INV_001', rowIndex: 0 }] });
    await run.local.idle();
    const { requests } = (await run.controls?.requests()) ?? { requests: [] };
    const pushes = requests.filter(
      (request) => request.storeClientId === 'store-1wh' && request.method === 'PATCH',
    );
    expect(pushes).toHaveLength(1);
  });
});

describe('metrics', () => {
  /** Every metric in the log of a function, with its value and dimensions. */
  const metricsOf = (functionName: string) =>
    run.local.functions.logs(functionName).flatMap(({ message }) => {
      if (!message.includes('CloudWatchMetrics')) return [];
      const { _aws, ...values } = JSON.parse(message);
      return _aws.CloudWatchMetrics.flatMap(({ Metrics }: { Metrics: { Name: string }[] }) =>
        Metrics.map(({ Name }) => ({ name: Name, ...values, value: values[Name] })),
      );
    });
  test('count a lane whose previous holder did not release it, and no other', async () => {
    const expired = () => metricsOf('ListingProducer').filter(({ name }) => name === 'LeasesExpired');
    const change = (version: number) =>
      JSON.stringify({
        'detail-type': 'stock.changed',
        detail: { storeClientId: 'store-0wh', version, items: [{ sku: left, stock: version }] },
      });
    await run.partner.sendChanges([change(1_000)]);
    await run.local.idle();
    expect(expired()).toEqual([]);
    await leaveLease(run, 'store-0wh', Date.now() - 1);
    await run.partner.sendChanges([change(1_001)]);
    await run.local.idle();
    expect(expired()).toMatchObject([{ value: 1 }]);
    expect((await stockOf('store-0wh', left))?.stock).toBe(1_001);
  });

  const namesOf = (functionName: string) => metricsOf(functionName).map(({ name }) => name);

  test('count accepted, sent and rejected changes, and the share of the limit in use', async () => {
    const detail = { storeClientId: 'store-unknown', items: [{ sku: first, stock: 1 }] };
    await run.partner.sendChanges([JSON.stringify({ 'detail-type': 'stock.changed', detail })]);
    await run.local.idle();
    await run.local.triggerSchedule('LaneWaker');
    expect(namesOf('ChangeIntake')).toEqual(
      expect.arrayContaining(['ChangesAccepted', 'ChangesStale', 'ChangesCoalesced']),
    );
    expect(metricsOf('ChangeIntake')).toContainEqual(
      expect.objectContaining({ name: 'RowsRejected', code: 'STORE_UNKNOWN', value: 1 }),
    );
    expect(namesOf('ListingProducer')).toEqual(expect.arrayContaining(['RequestsSent', 'RowsSent']));
    expect(namesOf('LaneWaker')).toEqual(expect.arrayContaining(['LimitUtilization', 'LanesStopped']));
    expect(metricsOf('ListingProducer')).toContainEqual(
      expect.objectContaining({ name: 'RowsRejected', code: 'INV_001', value: 1 }),
    );
  });

  test('measure the age of the oldest change of all lanes, and the log names its store', async () => {
    const age = async () => {
      await run.local.triggerSchedule('LaneWaker');
      return metricsOf('LaneWaker').findLast(({ name }) => name === 'OldestChangeAge')?.value;
    };
    expect(await age()).toBe(0);
    await leaveLease(run, 'store-0wh', Date.now() + 3_600_000);
    const sentAt = Date.now();
    const detail = { storeClientId: 'store-0wh', version: 2_000, items: [{ sku: waiting, stock: 2_000 }] };
    await run.partner.sendChanges([JSON.stringify({ 'detail-type': 'stock.changed', detail })]);
    await run.local.idle();
    const takenBy = Date.now();
    await age();
    const lookedAt = Date.now();
    const found = await age();
    expect(found).toBeGreaterThanOrEqual(lookedAt - takenBy);
    expect(found).toBeLessThanOrEqual(Date.now() - sentAt);
    const lines = run.local.functions.logs('LaneWaker').map(({ message }) => message);
    expect(lines.findLast((line) => line.includes('lanes checked'))).toContain('"storeClientId":"store-0wh"');
  });
});
