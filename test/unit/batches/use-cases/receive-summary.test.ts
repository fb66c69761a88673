import { createHmac } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ReceivedSummary } from '../../../../shared/batches/model.ts';
import { receiveSummary } from '../../../../shared/batches/use-cases/receive-summary.ts';
import { signRequest } from '../../../../shared/marketplace/signing.ts';
import { signSelfTest } from '../../../../shared/marketplace/webhooks/self-test.ts';
import { signStandardWebhook } from '../../../../shared/marketplace/webhooks/verification.ts';
import { inMemorySummaryArchive } from '../../../doubles/in-memory-summary-archive.ts';
import { inMemorySummaryQueue } from '../../../doubles/in-memory-summary-queue.ts';

const NOW = Date.parse('2026-11-21T08:00:00.000Z');
const PATH = '/webhooks/marketplace';
const rawBody = Buffer.from('{"batchId":"b-1"}');
const onlySecret = { cached: ['secret'], fresh: ['secret'] };
const settings = { schemes: ['marketplace-hmac'] as const, replayWindowMs: 300_000 };

function webhook({ secret = 'secret', timestamp = NOW, body = rawBody, signed = rawBody } = {}) {
  const headers = signRequest(secret, {
    method: 'POST',
    path: PATH,
    body: signed,
    partnerClientId: 'partner',
    timestamp,
  });
  return { method: 'POST', path: PATH, headers, rawBody: body };
}

function setUp({ cached, fresh }: { cached: string[]; fresh: string[] } = onlySecret) {
  const queued: ReceivedSummary[] = [];
  const objects = new Map<string, Uint8Array>();
  const reads: boolean[] = [];
  const ports = {
    archive: inMemorySummaryArchive(undefined, objects),
    summaries: inMemorySummaryQueue((summary) => queued.push(summary)),
    clock: { now: () => NOW },
    secrets: {
      webhookSecrets: async ({ fresh: isFresh = false } = {}) => {
        reads.push(isFresh);
        return isFresh ? fresh : cached;
      },
    },
  };
  return { ports, queued, objects, reads };
}

describe('a webhook', () => {
  const receivedAt = new Date(NOW).toISOString();
  const largest = Buffer.from('\u0001'.repeat(150_000));

  test('with a valid signature is queued with its body', async () => {
    const { ports, queued, objects } = setUp();
    expect(await receiveSummary(ports, settings, webhook())).toEqual({
      accepted: true,
      ids: { batchId: 'b-1' },
    });
    expect(queued).toEqual([{ body: rawBody.toString(), receivedAt }]);
    expect(objects.size).toBe(0);
  });

  test.each([
    ['under data', '{"data":{"batchId":7,"requestId":"r-1"},"storeClientId":"s-1"}'],
    [
      'at the top level before those under data',
      '{"batchId":"7","requestId":"r-1","storeClientId":"s-1","data":{"batchId":"8"}}',
    ],
  ])('is accepted with the IDs in it, %s', async (_, text) => {
    const body = Buffer.from(text);
    const result = await receiveSummary(setUp().ports, settings, webhook({ body, signed: body }));
    const ids = { batchId: '7', requestId: 'r-1', storeClientId: 's-1' };
    expect(result).toEqual({ accepted: true, ids });
  });

  test.each([
    ['no JSON', 'late'],
    ['a list', '[]'],
    ['without an ID', '{"batchId":""}'],
  ])('with a body that is %s is queued as it is, without an ID', async (_, text) => {
    const { ports, queued } = setUp();
    const body = Buffer.from(text);
    const result = await receiveSummary(ports, settings, webhook({ body, signed: body }));
    expect(result).toEqual({ accepted: true, ids: {} });
    expect(queued).toEqual([{ body: text, receivedAt }]);
  });

  test.each([['marketplace-hmac'], ['standard-webhooks']] as const)(
    'that is a self-test is recognised by %s, and dropped',
    async (scheme) => {
      const { ports, queued, objects } = setUp();
      const { headers, body } = signSelfTest('secret', {
        id: 'test-1',
        path: PATH,
        partnerClientId: 'partner',
        now: NOW,
      });
      const selfTest = { method: 'POST', path: PATH, headers, rawBody: Buffer.from(body) };
      const only = { ...settings, schemes: [scheme] };
      expect(await receiveSummary(ports, only, selfTest)).toMatchObject({
        accepted: true,
        selfTest: 'test-1',
      });
      expect({ queued, objects: objects.size }).toEqual({ queued: [], objects: 0 });
      const forged = setUp({ cached: ['other'], fresh: ['other'] });
      expect(await receiveSummary(forged.ports, only, selfTest)).toMatchObject({ accepted: false });
    },
  );

  test('that is signed by another scheme than the settings name is refused with the scheme that fits', async () => {
    const { headers, rawBody: body } = {
      headers: signStandardWebhook('secret', { id: 'w-1', rawBody, now: NOW }),
      rawBody,
    };
    const { ports, queued } = setUp();
    const signed = { method: 'POST', path: PATH, headers, rawBody: body };
    expect(await receiveSummary(ports, settings, signed)).toEqual({
      accepted: false,
      reason: 'signature-missing',
      signedBy: 'standard-webhooks',
    });
    const forged = { ...signed, headers: signStandardWebhook('other', { id: 'w-1', rawBody, now: NOW }) };
    expect(await receiveSummary(ports, settings, forged)).toEqual({
      accepted: false,
      reason: 'signature-missing',
    });
    expect(queued).toEqual([]);
  });

  test('of the largest body that is queued fits into a message, even if every character is escaped', async () => {
    const { ports, queued } = setUp();
    await receiveSummary(ports, settings, webhook({ body: largest, signed: largest }));
    expect(queued).toEqual([{ body: largest.toString(), receivedAt }]);
    expect(Buffer.byteLength(JSON.stringify(queued[0]))).toBeLessThan(1_048_576);
  });

  test.each([
    ['larger than a message', Buffer.concat([largest, Buffer.from('1')])],
    ['not in UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ])(
    '%s is archived byte for byte, then queued by its key; when redelivered under the same key',
    async (_, body) => {
      const { ports, queued, objects } = setUp();
      await receiveSummary(ports, settings, webhook({ body, signed: body }));
      await receiveSummary(ports, settings, webhook({ body, signed: body, timestamp: NOW - 1 }));
      const [archiveKey] = objects.keys();
      expect(queued).toEqual([
        { archiveKey, receivedAt },
        { archiveKey, receivedAt },
      ]);
      expect(Buffer.from(objects.get(archiveKey ?? '') ?? [])).toEqual(body);
    },
  );

  const packed = gzipSync(rawBody);
  test.each([
    ['signed as sent', webhook({ body: packed, signed: packed })],
    ['signed unpacked', webhook({ body: packed })],
    ['with zlib, signed unpacked', webhook({ body: deflateSync(rawBody) })],
  ])('that is compressed, %s, is queued unpacked', async (_, compressed) => {
    const { ports, queued } = setUp();
    expect(await receiveSummary(ports, settings, compressed)).toMatchObject({ accepted: true });
    expect(queued).toEqual([{ body: rawBody.toString(), receivedAt }]);
  });

  test('that is compressed is verified as Standard Webhooks signs it, as sent and unpacked', async () => {
    for (const signed of [packed, rawBody]) {
      const { ports, queued } = setUp();
      const seconds = `${NOW / 1000}`;
      const hmac = createHmac('sha256', 'secret').update(`m-1.${seconds}.`).update(signed).digest('base64');
      const headers = {
        'webhook-id': 'm-1',
        'webhook-timestamp': seconds,
        'webhook-signature': `v1,${hmac}`,
      };
      const standard = { ...settings, schemes: ['standard-webhooks'] as const };
      const sent = { method: 'POST', path: PATH, headers, rawBody: packed };
      expect(await receiveSummary(ports, standard, sent)).toMatchObject({ accepted: true });
      expect(queued).toEqual([{ body: rawBody.toString(), receivedAt }]);
    }
  });

  test.each([
    ['to more than 4 MB', gzipSync(Buffer.alloc(4 * 1024 * 1024 + 1))],
    ['and cut off', packed.subarray(0, -9)],
  ])('that is compressed %s stays as it came', async (_, body) => {
    const { ports, queued, objects } = setUp();
    await receiveSummary(ports, settings, webhook({ body, signed: body }));
    expect(queued).toEqual([{ archiveKey: expect.any(String), receivedAt }]);
    expect([...objects.values()].map((bytes) => Buffer.from(bytes))).toEqual([body]);
  });

  test.each([
    [
      'of another secret, compressed',
      webhook({ secret: 'other', body: packed, signed: packed }),
      'signature-wrong',
    ],
    ['of another body, compressed', webhook({ body: gzipSync('{"batchId":"b-2"}') }), 'signature-wrong'],
    ['of another secret', webhook({ secret: 'other' }), 'signature-wrong'],
    ['of another body', webhook({ body: Buffer.from('{"batchId":"b-2"}') }), 'signature-wrong'],
    ['too old', webhook({ timestamp: NOW - 300_001 }), 'timestamp-outside-window'],
    ['from too far ahead', webhook({ timestamp: NOW + 300_001 }), 'timestamp-outside-window'],
    ['without a signature', { ...webhook(), headers: {} }, 'signature-missing'],
  ])('%s changes nothing', async (_, forged, reason) => {
    const { ports, queued, objects } = setUp();
    expect(await receiveSummary(ports, settings, forged)).toEqual({ accepted: false, reason });
    expect([queued.length, objects.size]).toEqual([0, 0]);
  });

  test('signed with a recently rotated secret is accepted', async () => {
    const { ports, reads } = setUp({ cached: ['old'], fresh: ['old', 'secret'] });
    expect(await receiveSummary(ports, settings, webhook())).toMatchObject({ accepted: true });
    expect(reads).toEqual([false, true]);
  });

  test('without a signature does not cause another read of the secret', async () => {
    const { ports, reads } = setUp();
    await receiveSummary(ports, settings, { ...webhook(), headers: {} });
    expect(reads).toEqual([false]);
  });
});
