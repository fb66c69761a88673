import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { createEventTap, type EventTap } from '../../local/run/event-tap.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';

let run: ConnectorRun;
let tap: EventTap;

beforeAll(async () => {
  run = await startQuickRun();
  tap = await createEventTap(run.local, { detailTypes: ['document.stored', 'document.failed'] });
});

afterAll(async () => {
  await tap?.close();
  await run?.[Symbol.asyncDispose]();
});

const storeClientId = 'store-1wh';
const eventAbout = (detailType: string, orderId: string) =>
  until(`${detailType} about ${orderId}`, async () =>
    (await tap.events()).find(
      (event) => event['detail-type'] === detailType && event.detail.orderId === orderId,
    ),
  );
const request = (orderId: string, more: object = {}) =>
  run.partner.putEvents([
    {
      detailType: 'order.document.requested',
      detail: { storeClientId, orderId, document: 'shipping-label', ...more },
    },
  ]);
const makeOrder = async (subStatus: string) => {
  const order = await run.controls?.createOrder({ storeClientId, subStatus });
  return order?.orderId ?? '';
};

describe('order.document.requested', () => {
  test('stores the label and publishes its location and hash', async () => {
    const orderId = await makeOrder('confirmed');
    await request(orderId);
    const { detail } = await eventAbout('document.stored', orderId);
    expect(detail.key).toMatch(new RegExp(`${storeClientId}/${orderId}/shipping-label\\.pdf$`));
    const { bytes = new Uint8Array(), contentType } = await run.partner.getDocument(String(detail.key));
    expect(contentType).toBe('application/pdf');
    expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-');
    expect(detail).toMatchObject({
      document: 'shipping-label',
      bucket: run.local.outputs.DocumentBucketName,
      size: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
  });

  test('reports an order whose state does not allow a label with the code of the marketplace', async () => {
    const orderId = await makeOrder('delivered');
    await request(orderId);
    const { detail } = await eventAbout('document.failed', orderId);
    expect(detail.code).toBe('ORDER_021');
  });

  test('stores nothing when the answer is not a PDF', async () => {
    const orderId = await makeOrder('confirmed');
    await run.controls?.addFault({
      path: `/partner/stores/orders/${orderId}/documents/shipping-label`,
      times: 50,
      fault: { malformed: true },
    });
    await request(orderId);
    const { detail } = await eventAbout('document.failed', orderId);
    expect(detail.code).toMatch(/^DOCUMENT_|^ANSWER_/);
    expect(await run.partner.hasDocument(`documents/${storeClientId}/${orderId}/shipping-label.pdf`)).toBe(
      false,
    );
    await run.controls?.clearFaults();
  });

  test('retries when the marketplace is unavailable for a moment', async () => {
    const orderId = await makeOrder('confirmed');
    await run.controls?.addFault({
      path: `/partner/stores/orders/${orderId}/documents/shipping-label`,
      times: 2,
      fault: { status: 503, code: 'SYS_DEP_503' },
    });
    await request(orderId);
    await eventAbout('document.stored', orderId);
  });

  test('fetches the document once for two requests at the same moment, and publishes an event for both', async () => {
    const orderId = await makeOrder('confirmed');
    const path = `/partner/stores/orders/${orderId}/documents/shipping-label`;
    await run.controls?.addFault({ path, fault: { delayMs: 2_000 } });
    const commandIds = [`first-${orderId}`, `second-${orderId}`];
    await Promise.all(commandIds.map((commandId) => request(orderId, { commandId })));
    const stored = await until('both events', async () => {
      const events = (await tap.events()).filter(({ detail }) => detail.orderId === orderId);
      return events.length === 2 ? events : undefined;
    });
    expect(stored.map(({ detail }) => detail.commandId).toSorted()).toEqual(commandIds);
    expect(new Set(stored.map(({ detail }) => detail.sha256)).size).toBe(1);
    const requests = (await run.controls?.requests())?.requests ?? [];
    expect(requests.filter((one) => one.path.includes(orderId))).toHaveLength(1);
  });

  test('keeps path characters in the order ID out of the key', async () => {
    const orderId = '../../store-2wh/x';
    await request(orderId);
    const { detail } = await eventAbout('document.failed', orderId);
    expect(detail.code).toBe('ORDER_ID_INVALID');
  });
});
