import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';

let run: ConnectorRun;

beforeAll(async () => {
  run = await startQuickRun();
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

interface Forgery {
  readonly secret?: string;
  readonly at?: number;
  /** Sent instead of the signed body. */
  readonly sentBody?: string;
  readonly headers?: Record<string, string>;
  readonly without?: readonly string[];
}

/** Signs as §5 of the spec says, independently of the code under test. */
async function post(body: string, forgery: Forgery = {}) {
  const { secret = 'sandbox-partner-secret', at = Date.now(), sentBody = body, without = [] } = forgery;
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const base = [
    'POST',
    '/webhooks/marketplace',
    'x-partner-client-id:sandbox-partner',
    `x-timestamp:${at}`,
    bodyHash,
  ].join('\n');
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-partner-client-id': 'sandbox-partner',
    'x-timestamp': String(at),
    'x-signature': `sha256=${createHmac('sha256', secret).update(base).digest('hex')}`,
    ...forgery.headers,
  };
  for (const name of without) delete headers[name];
  const answer = await fetch(run.local.outputs.WebhookUrl ?? '', { method: 'POST', headers, body: sentBody });
  return { status: answer.status, body: await answer.text() };
}

const summaryOf = (batchId: string) =>
  JSON.stringify({
    event: 'catalog.sync.completed',
    batchId,
    storeClientId: 'store-0wh',
    summary: { total: 1, failed: 0, pending: 0 },
    acceptedRows: [],
    errors: [],
  });
const recordOf = (batchId: string) => run.partner.getItem('BatchesTableName', { batchId });

describe('POST /webhooks/marketplace', () => {
  test('accepts a signed summary and keeps one that matches no batch', async () => {
    const { status } = await post(summaryOf('batch-unmatched'));
    expect(status).toBe(202);
    const record = await until('the record', () => recordOf('batch-unmatched'));
    expect(record.state).toBe('unmatched');
    const { body } = await run.partner.callApi('GET', '/summaries/unmatched');
    expect(body.summaries).toContainEqual(expect.objectContaining({ batchId: 'batch-unmatched' }));
  });

  test.each<[string, Forgery]>([
    ['a signature of another secret', { secret: 'other-partner-secret' }],
    ['no signature', { without: ['x-signature'] }],
    ['no timestamp', { without: ['x-timestamp'] }],
    ['a stale timestamp', { at: Date.now() - 330_000 }],
    ['a timestamp too far ahead', { at: Date.now() + 330_000 }],
    ['a body that is not the signed one', { sentBody: summaryOf('batch-swapped') }],
    ['a signature without its digest', { headers: { 'x-signature': 'sha256=' } }],
  ])('refuses %s and changes nothing', async (_, forgery) => {
    const { status, body } = await post(summaryOf('batch-forged'), forgery);
    expect(status).toBe(401);
    expect(JSON.parse(body)).toMatchObject({
      error: { code: 'WEBHOOK_REFUSED' },
      requestId: expect.any(String),
    });
    await run.local.idle();
    expect(await recordOf('batch-forged')).toBeUndefined();
    expect(await recordOf('batch-swapped')).toBeUndefined();
  });

  test('answers a replayed summary with 2xx, without a second effect', async () => {
    const body = summaryOf('batch-replayed');
    const at = Date.now();
    expect((await post(body, { at })).status).toBe(202);
    const first = await until('the record', () => recordOf('batch-replayed'));
    await run.local.idle();
    const settled = await recordOf('batch-replayed');
    expect((await post(body, { at })).status).toBe(202);
    await run.local.idle();
    expect(await recordOf('batch-replayed')).toEqual(settled);
    expect(first.state).toBe('unmatched');
  });

  test('keeps the first of two contradicting summaries', async () => {
    await post(summaryOf('batch-contradicted'));
    const first = await until('the record', () => recordOf('batch-contradicted'));
    await post(summaryOf('batch-contradicted').replace('"failed":0', '"failed":1'));
    await run.local.idle();
    expect((await recordOf('batch-contradicted'))?.summary).toEqual(first.summary);
  });

  test('keeps a signed body that is not a summary as a rejection', async () => {
    expect((await post('not json')).status).toBe(202);
    await until('the rejection', async () => {
      const { body } = await run.partner.callApi('GET', '/stores/-/rejections');
      return body.rejections.some(({ code }: { code: string }) => code === 'SUMMARY_INVALID');
    });
  });

  test('refuses a body that is too large', async () => {
    const { status } = await post(`{"filler": "${'x'.repeat(4.5 * 1024 * 1024)}"}`);
    expect(status).toBe(413);
  });
});
