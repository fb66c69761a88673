import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signRequest } from '../../../../shared/marketplace/signing.ts';
import { verifyWebhook, type WebhookScheme } from '../../../../shared/marketplace/webhooks/verification.ts';

const NOW = Date.UTC(2026, 0, 1);
const PATH = '/webhooks/marketplace';
const rawBody = Buffer.from('{"event":"catalog.sync.completed"}');

function hmacHeaders({ secret = 'current', timestamp = NOW } = {}): Record<string, string> {
  return signRequest(secret, {
    method: 'POST',
    path: PATH,
    body: rawBody,
    partnerClientId: 'partner',
    timestamp,
  });
}

function standardHeaders({ key = Buffer.from('current'), seconds = NOW / 1000, id = 'msg_1' } = {}) {
  const mac = createHmac('sha256', key).update(`${id}.${seconds}.`).update(rawBody).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${mac}` };
}

function verify(
  headers: Record<string, string | undefined>,
  options: { schemes?: WebhookScheme[]; secrets?: string[]; body?: Buffer } = {},
) {
  return verifyWebhook(
    { method: 'POST', path: PATH, headers, rawBody: options.body ?? rawBody },
    {
      schemes: options.schemes ?? ['marketplace-hmac', 'standard-webhooks'],
      secrets: options.secrets ?? ['current'],
      now: NOW,
    },
  );
}

describe('marketplace-hmac verification', () => {
  it('accepts a webhook signed like a request', () => {
    expect(verify(hmacHeaders())).toEqual({ ok: true, scheme: 'marketplace-hmac' });
  });

  it('accepts header names in any case', () => {
    const shouting = Object.entries(hmacHeaders()).map(([name, value]) => [name.toUpperCase(), value]);
    expect(verify(Object.fromEntries(shouting)).ok).toBe(true);
  });

  it('accepts header names when only some are lowercase', () => {
    const { 'x-timestamp': timestamp, ...headers } = hmacHeaders();
    expect(verify({ ...headers, 'X-Timestamp': timestamp }).ok).toBe(true);
  });

  it.each(['previous', 'current'])('accepts every currently valid secret: %s', (secret) => {
    expect(verify(hmacHeaders({ secret }), { secrets: ['current', 'previous'] }).ok).toBe(true);
  });

  it.each([
    ['another secret', hmacHeaders({ secret: 'other' }), 'signature-wrong'],
    ['no signature', { ...hmacHeaders(), 'x-signature': undefined }, 'signature-missing'],
    ['an empty signature', { ...hmacHeaders(), 'x-signature': '' }, 'signature-missing'],
    ['no timestamp', { ...hmacHeaders(), 'x-timestamp': undefined }, 'timestamp-invalid'],
    ['a timestamp that is no number', { ...hmacHeaders(), 'x-timestamp': '1e12' }, 'timestamp-invalid'],
    [
      'a timestamp that is not the signed one',
      { ...hmacHeaders(), 'x-timestamp': String(NOW + 1) },
      'signature-wrong',
    ],
    [
      'a partner that is not the signed one',
      { ...hmacHeaders(), 'x-partner-client-id': 'x' },
      'signature-wrong',
    ],
    ['a time past the window', hmacHeaders({ timestamp: NOW - 300_001 }), 'timestamp-outside-window'],
    ['a time before the window', hmacHeaders({ timestamp: NOW + 300_001 }), 'timestamp-outside-window'],
  ])('refuses %s', (_, headers, reason) => {
    expect(verify(headers)).toEqual({ ok: false, reason });
  });

  it.each([-300_000, 300_000])('accepts the edge of the time window: %i ms', (offset) => {
    expect(verify(hmacHeaders({ timestamp: NOW + offset })).ok).toBe(true);
  });

  it('refuses another body', () => {
    const body = Buffer.from('{"event":"catalog.sync.completeD"}');
    expect(verify(hmacHeaders(), { body })).toEqual({ ok: false, reason: 'signature-wrong' });
  });

  it.each([[[]], [['']]])('refuses everything without a secret: %j', (secrets) => {
    expect(verify(hmacHeaders({ secret: '' }), { secrets })).toEqual({
      ok: false,
      reason: 'signature-wrong',
    });
  });

  it('is used only when it is set', () => {
    expect(verify(hmacHeaders(), { schemes: ['standard-webhooks'] })).toEqual({
      ok: false,
      reason: 'signature-missing',
    });
  });
});

describe.each([
  { scheme: 'marketplace-hmac', name: 'x-signature', headers: hmacHeaders() },
  { scheme: 'standard-webhooks', name: 'webhook-signature', headers: standardHeaders() },
])('a signature of $scheme', ({ name, headers }) => {
  const right = new Map<string, string>(Object.entries(headers)).get(name) ?? '';
  const last = right.length - 1;

  it.each([
    ['a letter that differs', `${right.slice(0, last)}_`],
    ['a letter of two bytes', `${right.slice(0, last)}é`],
    ['a letter whose low byte is the right one', right.replace(/.$/, (one) => shifted(one))],
    ['an inner letter whose low byte is the right one', right.replace(/.(?=.$)/, (one) => shifted(one))],
    ['a letter more', `${right}a`],
    ['a letter less', right.slice(0, last)],
  ])('is refused with %s, also right after the right one', (_, wrong) => {
    expect(verify(headers).ok).toBe(true);
    expect(verify({ ...headers, [name]: wrong })).toEqual({ ok: false, reason: 'signature-wrong' });
    expect(verify(headers).ok).toBe(true);
  });
});

function shifted(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 256);
}

describe('standard-webhooks verification', () => {
  it('accepts the example of its specification', () => {
    const result = verifyWebhook(
      {
        method: 'POST',
        path: PATH,
        headers: {
          'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
          'webhook-timestamp': '1614265330',
          'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
        },
        rawBody: Buffer.from('{"test": 2432232314}'),
      },
      {
        schemes: ['standard-webhooks'],
        secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
        now: 1614265330_000,
      },
    );
    expect(result).toEqual({ ok: true, scheme: 'standard-webhooks' });
  });

  it('finds the right one among several signatures', () => {
    const headers = standardHeaders();
    const several = `v1a,xyz v1,AAAA ${headers['webhook-signature']}`;
    expect(verify({ ...headers, 'webhook-signature': several })).toEqual({
      ok: true,
      scheme: 'standard-webhooks',
    });
  });

  it.each([
    ['another key', standardHeaders({ key: Buffer.from('other') }), 'signature-wrong'],
    ['another id', { ...standardHeaders(), 'webhook-id': 'msg_2' }, 'signature-wrong'],
    [
      'another version of signature',
      { ...standardHeaders(), 'webhook-signature': 'v2,AAAA' },
      'signature-wrong',
    ],
    ['no id', { ...standardHeaders(), 'webhook-id': undefined }, 'signature-missing'],
    ['no timestamp', { ...standardHeaders(), 'webhook-timestamp': undefined }, 'timestamp-invalid'],
    ['an old time', standardHeaders({ seconds: NOW / 1000 - 301 }), 'timestamp-outside-window'],
  ])('refuses %s', (_, headers, reason) => {
    expect(verify(headers)).toEqual({ ok: false, reason });
  });

  it('refuses a secret that decodes to nothing', () => {
    const headers = standardHeaders({ key: Buffer.alloc(0) });
    expect(verify(headers, { secrets: ['whsec_'] })).toEqual({ ok: false, reason: 'signature-wrong' });
  });
});
