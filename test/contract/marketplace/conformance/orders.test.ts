import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { keepDocument } from '../../../doubles/kept-document.ts';
import { openTarget } from './target.ts';

const target = await openTarget();
afterAll(() => target.close());

const { client } = target;
const store = target.store('one');
const { storeClientId } = store;

const LABEL_STATES = ['confirmed', 'waiting_pickup', 'waiting_drop_off'];
const INVOICE_STATES = [...LABEL_STATES, 'in_transit', 'delivered', 'order_completed'];
const ALL_STATES = [...INVOICE_STATES, 'pending', 'complaint_resolved', 'cancelled'];
const outside = (states: string[]) => ALL_STATES.filter((state) => !states.includes(state));

const order = (subStatus: string, complained = false) =>
  target.controls().createOrder({ storeClientId, subStatus, complained });

describe.skipIf(!target.isSandbox)('§3, §4.18 shipping label', () => {
  it.each(LABEL_STATES)('for an order that is %s is a PDF', async (state) => {
    const { orderId } = await order(state);
    const label = await client.generateShippingLabel(store, { orderId }, keepDocument);
    expect(label.contentType).toMatch(/^application\/pdf/);
    expect(label.fileName).toMatch(/\.pdf$/);
    expect(Buffer.from(label.bytes.subarray(0, 5)).toString()).toBe('%PDF-');
  });

  it.each(outside(LABEL_STATES))('for an order that is %s is refused with ORDER_021', async (state) => {
    const { orderId } = await order(state);
    await expect(client.generateShippingLabel(store, { orderId }, keepDocument)).rejects.toMatchObject({
      code: 'ORDER_021',
      outcome: 'refused',
      context: { orderId, allowedSubstatuses: LABEL_STATES },
    });
  });

  it('accepts includeItems', async () => {
    const { orderId } = await order('confirmed');
    const label = await client.generateShippingLabel(store, { orderId, includeItems: true }, keepDocument);
    expect(label.bytes.length).toBeGreaterThan(0);
  });
});

describe.skipIf(!target.isSandbox)('§3, §4.19 invoice', () => {
  it.each(INVOICE_STATES)('for an order that is %s is a PDF', async (state) => {
    const { orderId } = await order(state);
    expect((await client.generateInvoice(store, { orderId }, keepDocument)).sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(outside(INVOICE_STATES))('for an order that is %s is refused with ORDER_021', async (state) => {
    const { orderId } = await order(state);
    const call = client.generateInvoice(store, { orderId }, keepDocument);
    await expect(call).rejects.toMatchObject({
      code: 'ORDER_021',
      context: { allowedSubstatuses: INVOICE_STATES },
    });
  });

  it('for a complained order that is complaint_resolved is a PDF', async () => {
    const { orderId } = await order('complaint_resolved', true);
    expect((await client.generateInvoice(store, { orderId }, keepDocument)).bytes.length).toBeGreaterThan(0);
  });
});

describe('§4.18, 4.19 documents for an unknown order', () => {
  it('are refused', async () => {
    const orderId = randomUUID();
    for (const generate of [client.generateShippingLabel, client.generateInvoice]) {
      await expect(generate(store, { orderId }, keepDocument)).rejects.toMatchObject({ outcome: 'refused' });
    }
  });
});

describe.skipIf(!target.isSandbox)('§4.16 order decisions', () => {
  it('accept and reject orders by order ID and by invoice number', async () => {
    const [first, second] = [await order('pending'), await order('pending')];
    const answer = await client.decideOrders(store, {
      items: [
        { orderId: first.orderId, decision: 'accept' },
        {
          invoiceNumber: second.invoiceNumber,
          decision: 'reject',
          reasonCode: 'OUT_OF_STOCK',
          reason: 'sold out',
        },
      ],
    });
    expect(answer).toEqual({ success: true, message: expect.any(String) });
    expect((await target.controls().order(first.orderId)).decisions).toMatchObject([{ decision: 'accept' }]);
    expect((await target.controls().order(second.orderId)).decisions).toMatchObject([
      { decision: 'reject', reasonCode: 'OUT_OF_STOCK', reason: 'sold out' },
    ]);
  });
});

describe.skipIf(!target.isSandbox)('§3, §4.17 dropoffs', () => {
  it('skip cancelled and pending orders and process the others', async () => {
    const [ready, pending, cancelled] = [
      await order('confirmed'),
      await order('pending'),
      await order('cancelled'),
    ];
    const items = [
      { orderId: ready.orderId },
      { orderId: pending.orderId },
      { invoiceNumber: cancelled.invoiceNumber },
    ];
    const batch = await client.requestDropoffs(store, { items });
    expect(batch.batchId).toBeTruthy();
    expect(batch.requestId).toBeTruthy();
    expect(batch.summary).toMatchObject({ total: 3, accepted: 1, skipped: 2 });
    expect(batch.errors).toMatchObject([
      { orderId: pending.orderId, reason: 'STATUS_NOT_ALLOWED', code: 'STATUS_NOT_ALLOWED' },
      { orderId: cancelled.orderId, reason: 'STATUS_NOT_ALLOWED' },
    ]);
    expect((await target.controls().order(ready.orderId)).dropoffs).toHaveLength(1);
  });

  it('without an eligible order are refused with ORDER_026, the summary and the errors', async () => {
    const { orderId } = await order('cancelled');
    await expect(client.requestDropoffs(store, { items: [{ orderId }] })).rejects.toMatchObject({
      code: 'ORDER_026',
      outcome: 'refused',
      context: {
        summary: { total: 1, accepted: 0, skipped: 1 },
        errors: [{ orderId, reason: 'STATUS_NOT_ALLOWED' }],
      },
    });
  });
});
