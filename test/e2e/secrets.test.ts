import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { createEventTap } from '../../local/run/event-tap.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { everythingKept, type KeptText } from './support/everything-kept.ts';
import { importProducts } from './support/import-products.ts';

const secrets = {
  'partner secret': 'sandbox-partner-secret',
  'webhook secret': 'whsec-of-the-marketplace-42',
  'token of store-0wh': 'token-store-0wh',
  'token of store-1wh': 'token-store-1wh',
  'token of store-2wh': 'token-store-2wh',
  'rotated token': 'rotated-store-credential-7',
  'refused token': 'refused-store-credential-8',
  'refused partner secret': 'refused-partner-key-9',
};

let run: ConnectorRun;
let said: KeptText[];

beforeAll(async () => {
  said = [];
  run = await startQuickRun({
    log: ({ source, message }) => void said.push({ place: `log of ${source}`, text: message }),
  });
  const tap = await createEventTap(run.local);
  await useEverything();
  const events = await until('events of every kind that failed or ended', async () => {
    const seen = await tap.events();
    const types = new Set(seen.map((event) => event['detail-type']));
    const all = ['batch.completed', 'rows.rejected', 'store.suspended', 'document.stored', 'orders.unknown'];
    return all.every((type) => types.has(type)) && seen;
  });
  said.push(...events.map((event) => ({ place: 'event', text: JSON.stringify(event) })));
  await tap.close();
  said.push(...(await everythingKept(run.local)));
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

/** Calls a route and records its answer for the search. */
async function call(method: string, path: string, body?: object): Promise<void> {
  const answer = await run.partner.callApi(method, path, body);
  said.push({ place: `answer to ${method} ${path}`, text: JSON.stringify(answer) });
}

/** Runs every function, also with failures: faults, refused credentials, forged webhooks. */
async function useEverything(): Promise<void> {
  const { partner, controls, local } = run;
  await partner.putSecret({
    partnerSecretKey: secrets['partner secret'],
    webhookSecrets: [secrets['webhook secret']],
  });
  await importProducts(run, 'store-0wh', 3);
  const confirmed = await controls?.createOrder({ storeClientId: 'store-0wh', subStatus: 'confirmed' });
  const pending = await controls?.createOrder({ storeClientId: 'store-0wh', subStatus: 'pending' });
  const { orderId = '' } = confirmed ?? {};

  await controls?.addFault({ path: '/partner/stores/inventory', fault: { malformed: true } });
  await controls?.addFault({ path: '/partner/stores/products/prices', fault: { status: 503 } });
  await controls?.addFault({ path: '/partner/stores/orders/decisions', fault: { drop: 'after' } });
  const about = (detailType: string, detail: object, storeClientId = 'store-0wh') =>
    partner.putEvents([{ detailType, detail: { storeClientId, ...detail } }]);
  await about('stock.changed', {
    items: [
      { sku: skuOf(1), stock: 5 },
      { sku: 'NO-SUCH', stock: 1 },
    ],
  });
  await about('price.changed', { items: [{ sku: skuOf(1), price: 5 }] });
  await about('order.decision.requested', { items: [{ orderId: pending?.orderId, decision: 'accept' }] });
  await about('order.dropoff.requested', { items: [{ orderId }] });
  await about('order.document.requested', { orderId, document: 'invoice' });
  await about('nonsense.requested', { storeToken: 'not ours to know' });

  await controls?.setStore('store-2wh', { blocked: true });
  await about('stock.changed', { items: [{ sku: skuOf(1), stock: 5 }] }, 'store-2wh');
  await call('PUT', '/stores/store-1wh', { storeToken: secrets['refused token'] });
  await controls?.setStore('store-1wh', { token: secrets['rotated token'] });
  await call('PUT', '/stores/store-1wh', { storeToken: secrets['rotated token'] });
  await call('GET', '/stores');
  await call('GET', '/stores/store-1wh');
  await call('POST', `/stores/store-0wh/orders/${orderId}/documents/shipping-label`);
  await call('GET', '/batches?storeClientId=store-0wh');
  await call('GET', '/openapi.json');
  await fetch(local.outputs.WebhookUrl ?? '', { method: 'POST', body: '{}' });

  await until('the stock at the marketplace', async () => {
    const products = (await controls?.products('store-0wh'))?.products ?? [];
    return products.some(({ stock }) => stock === 5);
  });
  await partner.putSecret({ partnerSecretKey: secrets['refused partner secret'] });
  local.functions.kill('DocumentFetcher');
  local.functions.kill('OperationsApi');
  await call('GET', '/stores/store-0wh');
  await call('POST', `/stores/store-0wh/orders/${orderId}/documents/invoice?refresh=true`);
}

const encodings: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in base64': (secret) => withinBase64(secret, 0),
  'in base64, one byte on': (secret) => withinBase64(secret, 1),
  'in base64, two bytes on': (secret) => withinBase64(secret, 2),
  'in hex': (secret) => Buffer.from(secret).toString('hex'),
};

/**
 * The part of a longer base64 text that depends on the secret alone. Three bytes make four characters, so the
 * characters at the edges also depend on neighbouring bytes.
 *
 * @param before bytes of the text before the secret, modulo 3
 */
function withinBase64(secret: string, before: 0 | 1 | 2): string {
  const bytes = Buffer.from(`${'-'.repeat(before)}${secret}`);
  const first = Math.ceil((before * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  return bytes.toString('base64').slice(first, end);
}

/** The only place where a secret may be: tokens in the Stores table. */
const isAllowed = (place: string, name: string) => /^table .*stores/i.test(place) && name.includes('token');

describe.each(Object.entries(secrets))('the %s', (name, secret) => {
  test.each(Object.entries(encodings))('is not readable anywhere %s', (_, encode) => {
    const leaks = said.filter(({ place, text }) => text.includes(encode(secret)) && !isAllowed(place, name));
    expect(leaks.map(({ place, text }) => `${place}: ${text.slice(0, 200)}`)).toEqual([]);
  });
});

test.each(['', '{"token":"', '{"key":"', '{"a":"'])(
  'the search finds a secret in base64 after %s',
  (before) => {
    for (const secret of Object.values(secrets)) {
      const text = Buffer.from(`${before}${secret}"}`).toString('base64');
      expect(Object.values(encodings).some((encode) => text.includes(encode(secret)))).toBe(true);
    }
  },
);

describe('the search for secrets', () => {
  test.each([
    ['logs of every kind of trigger', /^log of .*(Intake|Producer|Processor|Fetcher|Api)/i, 20],
    ['events', /^event/, 8],
    ['tables', /^table/, 20],
    ['the archive', /^bucket .*archive/i, 1],
    ['documents', /^bucket .*documents/i, 1],
    ['answers', /^answer/, 8],
  ])('covers %s', (_, place, least) => {
    expect(said.filter((kept) => place.test(kept.place)).length).toBeGreaterThanOrEqual(least);
  });

  test('finds the token that is in the Stores table', () => {
    const stores = said.filter(({ place }) => /^table .*stores/i.test(place)).map(({ text }) => text);
    expect(stores.join()).toContain(secrets['rotated token']);
  });
});
