import { createHash, createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { externalId, useSandbox } from '../sandbox.ts';
import { startReceiver } from '../webhook-receiver.ts';

const SYNC = 'POST /partner/stores/catalog/sync';
const sandbox = useSandbox({ webhookDisturbanceDelayMs: 500 });
const receivers: Awaited<ReturnType<typeof startReceiver>>[] = [];

afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function receive(settings: Record<string, unknown> = {}, ...statuses: number[]) {
  const receiver = await startReceiver(...statuses);
  receivers.push(receiver);
  await sandbox.control('PUT /webhook', { url: receiver.url, ...settings });
  return receiver;
}

async function sync(...numbers: number[]) {
  const products = numbers.map((number) => ({ externalId: externalId(number), sku: `SKU-${number}` }));
  return (await sandbox.call(SYNC, { body: { products } })).json;
}

function signatureOf(secret: string, timestamp: unknown, raw: Buffer): string {
  const hash = createHash('sha256').update(raw).digest('hex');
  const base = `POST\n/webhooks/marketplace\nx-partner-client-id:sandbox-partner\nx-timestamp:${timestamp}\n${hash}`;
  return `sha256=${createHmac('sha256', secret).update(base).digest('hex')}`;
}

describe('the final summary', () => {
  it('of a catalog sync counts and names its rows', async () => {
    const receiver = await receive();
    await sync(1);
    await sandbox.idle();
    const answer = await sync(1, 2);
    await sandbox.idle();
    expect(receiver.received).toHaveLength(2);
    const [, summary] = receiver.received;
    expect(summary?.json).toEqual({
      event: 'catalog.sync.completed',
      batchId: answer.data.batchId,
      requestId: answer.requestId,
      storeClientId: 'store-0wh',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      summary: { total: 2, failed: 1, pending: 0 },
      acceptedRows: [
        { rowIndex: 1, externalId: externalId(2), sku: 'SKU-2', id: expect.any(String), target: 'product' },
      ],
      errors: [expect.objectContaining({ code: 'PRD_002', rowIndex: 0, externalId: externalId(1) })],
    });
  });

  it('is signed like a request without store headers, by the partner secret', async () => {
    const receiver = await receive();
    await sync(1);
    await sandbox.idle();
    const [delivery] = receiver.received;
    if (delivery === undefined) throw new Error('nothing was delivered');
    const { headers, raw } = delivery;
    expect(headers).not.toHaveProperty('x-store-client-id');
    expect(headers['x-signature']).toBe(signatureOf('sandbox-partner-secret', headers['x-timestamp'], raw));
  });

  it('is signed by another secret where one is given', async () => {
    const receiver = await receive({ secret: 'another-secret' });
    await sync(1);
    await sandbox.idle();
    const [delivery] = receiver.received;
    if (delivery === undefined) throw new Error('nothing was delivered');
    expect(delivery.headers['x-signature']).toBe(
      signatureOf('another-secret', delivery.headers['x-timestamp'], delivery.raw),
    );
  });

  it('is tried again until a 2xx', async () => {
    const receiver = await receive({}, 500, 302, 204);
    await sync(1);
    await sandbox.idle();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ json }) => json.batchId)).size).toBe(1);
  });

  it('is given up after 5 attempts', async () => {
    const receiver = await receive({}, 500, 500, 500, 500, 500, 500);
    await sync(1);
    await sandbox.idle();
    expect(receiver.received).toHaveLength(5);
  });

  it('is sent for catalog syncs only, or for every ASYNC batch', async () => {
    const receiver = await receive();
    const everything = async () => {
      await sandbox.seed('store-0wh', { sku: 'A' });
      await sandbox.call('PATCH /partner/stores/inventory', { body: { items: [{ sku: 'A', stock: 1 }] } });
      await sandbox.call('PATCH /partner/stores/products/prices', {
        body: { items: [{ sku: 'A', price: 1 }] },
      });
      const { json } = await sandbox.control('POST /orders', {
        storeClientId: 'store-0wh',
        subStatus: 'confirmed',
      });
      await sandbox.call('POST /partner/stores/orders/dropoffs', {
        body: { items: [{ orderId: json.orderId }] },
      });
      await sandbox.idle();
    };
    await everything();
    expect(receiver.received).toEqual([]);
    await sandbox.control('PUT /webhook', { url: receiver.url, for: 'all' });
    await everything();
    expect(receiver.received.map(({ json }) => [json.event, json.summary]).sort()).toEqual([
      ['order.dropoff.completed', { total: 1, accepted: 1, skipped: 0 }],
      ['price.update.completed', { total: 1, failed: 0, pending: 0 }],
      ['product.create.completed', { total: 1, failed: 0, pending: 0 }],
      ['stock.update.completed', { total: 1, failed: 0, pending: 0 }],
    ]);
  });

  it('does not tell the shifted clock', async () => {
    const receiver = await receive();
    await sandbox.control('PUT /clock', { offsetMs: 3_600_000 });
    await sandbox.call(SYNC, { timestamp: Date.now() + 3_600_000, body: { products: [{ sku: 'A' }] } });
    await sandbox.idle();
    const [delivery] = receiver.received;
    expect(Math.abs(Number(delivery?.headers['x-timestamp']) - Date.now())).toBeLessThan(300_000);
  });
});

describe('disturbed by a fault', () => {
  const disturb = (webhook: string) => sandbox.control('POST /faults', { fault: { webhook } });

  it('duplicate: comes twice', async () => {
    const receiver = await receive();
    await disturb('duplicate');
    await sync(1);
    await sandbox.idle();
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[0]?.json.batchId).toBe(receiver.received[1]?.json.batchId);
  });

  it('drop: never comes, while the batch is applied', async () => {
    const receiver = await receive();
    await disturb('drop');
    await sync(1);
    await sandbox.idle();
    expect(receiver.received).toEqual([]);
    expect(await sandbox.live('store-0wh')).toHaveLength(1);
  });

  it('delay: comes after that of a later batch', async () => {
    const receiver = await receive();
    await disturb('delay');
    const late = await sync(1);
    const timely = await sync(2);
    await sandbox.idle();
    expect(receiver.received.map(({ json }) => json.batchId)).toEqual([
      timely.data.batchId,
      late.data.batchId,
    ]);
  });

  it('early: comes before the answer, and what was accepted before is applied before', async () => {
    const receiver = await receive();
    await sync(1);
    await disturb('early');
    const answer = await sync(1, 2);
    expect(receiver.received.map(({ json }) => json.batchId)).toContain(answer.data.batchId);
    await sandbox.idle();
    expect(receiver.received).toHaveLength(2);
    const early = receiver.received.find(({ json }) => json.batchId === answer.data.batchId);
    expect(early?.json.summary).toEqual({ total: 2, failed: 1, pending: 0 });
  });

  it('early: is tried again in the background when it was refused', async () => {
    const receiver = await receive({}, 500);
    await disturb('early');
    await sync(1);
    await sandbox.idle();
    expect(receiver.received).toHaveLength(2);
  });

  it('reorder: is overtaken by the next summary', async () => {
    const receiver = await receive();
    await disturb('reorder');
    const overtaken = await sync(1);
    const next = await sync(2);
    await sandbox.idle();
    expect(receiver.received.map(({ json }) => json.batchId)).toEqual([
      next.data.batchId,
      overtaken.data.batchId,
    ]);
  });

  it('reorder: comes by itself when there is no next', async () => {
    const receiver = await receive();
    await disturb('reorder');
    await sync(1);
    await sandbox.idle();
    expect(receiver.received).toHaveLength(1);
  });
});
