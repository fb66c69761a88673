import { createHash } from 'node:crypto';
import { until } from '../until.ts';
import type { TourContext, TourLine } from './tour.ts';

/** One shipping label into the document bucket; skipped where there is no order to fetch it for. */
export async function fetchLabel(context: TourContext): Promise<TourLine | undefined> {
  const { run, storeClientId, say } = context;
  const orderId = context.orderId ?? (await makeOrder(context));
  if (orderId === undefined) {
    say('3. No label: set MARKETPLACE_ORDER_ID to an order of the store that may have one');
    return undefined;
  }
  say(`3. The shipping label of order ${orderId}`);
  await run.partner.putEvents([
    {
      detailType: 'order.document.requested',
      detail: { storeClientId, orderId, document: 'shipping-label', refresh: true },
    },
  ]);
  const key = `documents/${storeClientId}/${orderId}/shipping-label.pdf`;
  await until('the label in the document bucket', () => run.partner.hasDocument(key));
  const { bytes = new Uint8Array(), contentType } = await run.partner.getDocument(key);
  const isPdf = Buffer.from(bytes.subarray(0, 5)).toString() === '%PDF-' && contentType === 'application/pdf';
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  say(`   ${bytes.byteLength} bytes, sha256 ${sha256}`);
  return {
    step: 'shipping label',
    sent: '1 document requested',
    requests: 1,
    accepted: isPdf ? 1 : 0,
    rejected: isPdf ? 0 : 1,
    comparison: `${key} is ${isPdf ? 'a PDF' : 'not a PDF'}`,
    holds: isPdf,
  };
}

async function makeOrder({ run, storeClientId }: TourContext): Promise<string | undefined> {
  const order = await run.controls?.createOrder({ storeClientId, subStatus: 'confirmed' });
  return order?.orderId;
}
