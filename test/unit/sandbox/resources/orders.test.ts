import { describe, expect, it } from 'vitest';
import { externalId, useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();

async function order(subStatus: string, storeClientId = 'store-0wh', complained = false) {
  const { json } = await sandbox.control('POST /orders', { storeClientId, subStatus, complained });
  return json as { orderId: string; invoiceNumber: string };
}

async function seen(orderId: string) {
  return (await sandbox.control(`GET /orders/${orderId}`)).json;
}

describe('decisions (§4.16)', () => {
  const decide = (...items: unknown[]) =>
    sandbox.call('POST /partner/stores/orders/decisions', { body: { items } });

  it('answer success and message only, and are kept as received', async () => {
    const [first, second] = [await order('pending'), await order('pending')];
    const rejection = { decision: 'reject', reasonCode: 'OUT_OF_STOCK', reason: 'sold out' };
    const { status, json } = await decide(
      { orderId: first.orderId, decision: 'accept' },
      { invoiceNumber: second.invoiceNumber, ...rejection },
    );
    expect(status).toBe(200);
    expect(json).toEqual({ success: true, message: expect.any(String) });
    expect(await seen(first.orderId)).toMatchObject({
      subStatus: 'confirmed',
      decisions: [{ decision: 'accept' }],
    });
    expect(await seen(second.orderId)).toMatchObject({ subStatus: 'cancelled', decisions: [rejection] });
  });

  it('are kept each time they come', async () => {
    const { orderId } = await order('pending');
    await decide({ orderId, decision: 'accept' });
    await decide({ orderId, decision: 'accept' });
    expect(await seen(orderId)).toMatchObject({ subStatus: 'confirmed', decisions: [{}, {}] });
  });

  it('are ORDER_001 without any effect when one order is unknown or another store’s', async () => {
    const { orderId } = await order('pending');
    const foreign = await order('pending', 'store-1wh');
    for (const unknown of [externalId(9), foreign.orderId]) {
      const { status, json } = await decide(
        { orderId, decision: 'accept' },
        { orderId: unknown, decision: 'accept' },
      );
      expect([status, json.error.code]).toEqual([404, 'ORDER_001']);
    }
    expect(await seen(orderId)).toMatchObject({ subStatus: 'pending', decisions: [] });
  });

  it.each([
    { decision: 'accept' },
    { orderId: externalId(1), decision: 'maybe' },
    { orderId: 'x', decision: 'accept' },
  ])('are VAL_001 for the item %j', async (item) => {
    const { status, json } = await decide(item);
    expect([status, json.error.code]).toEqual([400, 'VAL_001']);
  });
});

describe('dropoffs (§4.17)', () => {
  const dropOff = (...items: unknown[]) =>
    sandbox.call('POST /partner/stores/orders/dropoffs', { body: { items } });

  it('accept eligible orders and skip cancelled and pending ones', async () => {
    const confirmed = await order('confirmed');
    const [cancelled, pending] = [await order('cancelled'), await order('pending')];
    const { status, json } = await dropOff(
      { orderId: cancelled.orderId },
      { invoiceNumber: confirmed.invoiceNumber },
      { orderId: pending.orderId },
      { orderId: externalId(9) },
    );
    expect(status).toBe(200);
    expect(json.message).toMatch(/some items were accepted and some rejected/i);
    expect(json.data).toEqual({
      requestId: json.requestId,
      batchId: expect.any(String),
      summary: { total: 4, accepted: 1, skipped: 3 },
      errors: [
        { orderId: cancelled.orderId, reason: 'STATUS_NOT_ALLOWED', message: expect.any(String) },
        { orderId: pending.orderId, reason: 'STATUS_NOT_ALLOWED', message: expect.any(String) },
        { orderId: externalId(9), reason: 'ORDER_NOT_FOUND', message: expect.any(String) },
      ],
    });
    await sandbox.idle();
    const received = { invoiceNumber: confirmed.invoiceNumber, skipped: null };
    expect(await seen(confirmed.orderId)).toMatchObject({
      subStatus: 'waiting_drop_off',
      dropoffs: [received],
    });
    expect(await seen(cancelled.orderId)).toMatchObject({ dropoffs: [{ skipped: 'STATUS_NOT_ALLOWED' }] });
  });

  it('are ORDER_026 with summary and errors when no order is eligible', async () => {
    const { orderId } = await order('pending');
    const { status, json } = await dropOff({ orderId });
    expect([status, json.error.code]).toEqual([422, 'ORDER_026']);
    expect(json.error.details.context).toMatchObject({
      summary: { total: 1, accepted: 0, skipped: 1 },
      errors: [{ orderId, reason: 'STATUS_NOT_ALLOWED' }],
    });
  });

  it.each([[], [{}]])('are VAL_001 for the items %j', async (...items) => {
    expect((await dropOff(...items)).json.error.code).toBe('VAL_001');
  });
});

describe('documents (§4.18, 4.19)', () => {
  const STATES = [
    'pending',
    'confirmed',
    'waiting_pickup',
    'waiting_drop_off',
    'in_transit',
    'delivered',
    'order_completed',
    'complaint_resolved',
    'cancelled',
  ];
  const LABEL = ['confirmed', 'waiting_pickup', 'waiting_drop_off'];
  const INVOICE = [...LABEL, 'in_transit', 'delivered', 'order_completed'];
  const fetchDocument = (orderId: string, document: string) =>
    sandbox.call(`POST /partner/stores/orders/${orderId}/documents/${document}`);

  it.each(['shipping-label', 'invoice'])(
    '%s: is an attached PDF, the same one every time',
    async (document) => {
      const { orderId } = await order('confirmed');
      const { status, headers, bytes } = await fetchDocument(orderId, document);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/pdf');
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename=".+\.pdf"$/);
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
      expect(bytes.subarray(-6).toString()).toContain('%%EOF');
      expect((await fetchDocument(orderId, document)).bytes.equals(bytes)).toBe(true);
    },
  );

  it('shipping-label: lists the items where asked to', async () => {
    const { orderId } = await order('confirmed');
    const plain = await fetchDocument(orderId, 'shipping-label');
    const withItems = await fetchDocument(orderId, 'shipping-label?includeItems=true');
    expect(withItems.bytes.length).toBeGreaterThan(plain.bytes.length);
  });

  it.each([
    ['shipping-label', LABEL, false],
    ['invoice', INVOICE, false],
    ['invoice', [...INVOICE, 'complaint_resolved'], true],
  ])('%s: is given in the states %j only (complained: %s)', async (document, allowed, complained) => {
    for (const state of STATES) {
      const { orderId } = await order(state, 'store-0wh', complained);
      const { status, json } = await fetchDocument(orderId, document);
      if (allowed.includes(state)) {
        expect([state, status]).toEqual([state, 200]);
      } else {
        expect([state, status, json.error.code]).toEqual([state, 409, 'ORDER_021']);
        expect(json.error.details.context).toEqual({ orderId, allowedSubstatuses: allowed });
      }
    }
  });

  it('are ORDER_001 for an unknown order and another store’s', async () => {
    const foreign = await order('confirmed', 'store-1wh');
    for (const orderId of [externalId(9), foreign.orderId]) {
      const { status, json } = await fetchDocument(orderId, 'shipping-label');
      expect([status, json.error.code]).toEqual([404, 'ORDER_001']);
    }
  });
});
