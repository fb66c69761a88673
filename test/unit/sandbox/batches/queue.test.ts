import { describe, expect, it, vi } from 'vitest';
import type { Batch } from '../../../../sandbox/batches/batch.ts';
import { BatchQueue } from '../../../../sandbox/batches/queue.ts';
import { useSandbox } from '../sandbox.ts';
import { startReceiver } from '../webhook-receiver.ts';

function batchOf(name: string, applied: string[]): Batch {
  const accepted = { rowIndex: 0 };
  return {
    kind: 'stock.update',
    total: 1,
    pending: [{ accepted, apply: () => ({ accepted: { ...accepted, done: applied.push(name) } }) }],
    errors: [],
    batchId: name,
    requestId: name,
    storeClientId: 'store',
    partnerClientId: 'partner',
    acceptedAt: '2026-01-01T00:00:00.000Z',
    disturbance: undefined,
    result: undefined,
    deliveries: [],
  };
}

describe('the queue of batches', () => {
  it('applies what was accepted earlier first, even when a later batch is finished early', () => {
    const applied: string[] = [];
    const finished = vi.fn();
    const queue = new BatchQueue(60_000, { now: () => 0 }, ({ batchId }) => finished(batchId));
    const [first, second, third] = ['first', 'second', 'third'].map((name) => batchOf(name, applied)) as [
      Batch,
      Batch,
      Batch,
    ];
    for (const batch of [first, second, third]) queue.submit(batch);
    queue.applyThrough(second);
    expect(applied).toEqual(['first', 'second']);
    expect(finished.mock.calls).toEqual([['first'], ['second']]);
    expect([first, second, third].map(({ result }) => result === undefined)).toEqual([false, false, true]);
    queue.clear();
  });

  it('is idle once everything was applied or dropped', async () => {
    const applied: string[] = [];
    const queue = new BatchQueue(60_000, { now: () => 0 }, () => undefined);
    queue.submit(batchOf('never', applied));
    const idle = queue.idle();
    queue.clear();
    await idle;
    expect(applied).toEqual([]);
  });
});

describe('ASYNC calls', () => {
  const sandbox = useSandbox({ applyDelayMs: 60_000 });

  it('answer before they take effect', async () => {
    const body = { products: [{ sku: 'A' }] };
    const { json } = await sandbox.call('POST /partner/stores/catalog/sync', { body });
    expect(json.data.summary).toEqual({ total: 1, failed: 0, pending: 1 });
    expect(await sandbox.live('store-0wh')).toEqual([]);
  });

  it('fail the rows whose target is gone when their turn comes', async () => {
    const receiver = await startReceiver();
    await sandbox.control('PUT /webhook', { url: receiver.url, for: 'all' });
    const callNow = async (line: string, body: unknown) => {
      await sandbox.control('POST /faults', { fault: { webhook: 'early' } });
      return sandbox.call(line, { body });
    };
    await callNow('POST /partner/stores/products/bulk', { products: [{ sku: 'A' }, { sku: 'B' }] });
    const [doomed] = await sandbox.live('store-0wh');
    const items = ['A', 'B'].map((sku) => ({ sku, stock: 1 }));
    const answer = await sandbox.call('PATCH /partner/stores/inventory', { body: { items } });
    expect(answer.json.data.summary).toEqual({ total: 2, failed: 0, pending: 2 });
    await sandbox.call('POST /partner/stores/products/deletions', { body: { ids: [doomed.id] } });
    await callNow('PATCH /partner/stores/products/prices', { items: [{ sku: 'B', price: 1 }] });
    await sandbox.idle();
    await receiver.close();
    const summary = receiver.received.find(({ json }) => json.batchId === answer.json.data.batchId);
    expect(summary?.json).toMatchObject({
      summary: { total: 2, failed: 1, pending: 0 },
      acceptedRows: [{ rowIndex: 1 }],
      errors: [{ code: 'INV_001', rowIndex: 0, sku: 'A' }],
    });
  });
});
