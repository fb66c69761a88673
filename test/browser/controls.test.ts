import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { faultSchema } from '../../sandbox/controls/faults.ts';
import { startReceiver } from '../unit/sandbox/webhook-receiver.ts';
import { hasBrowser } from './support/browser.ts';
import { detailOf, rowsOf, shows, useSandboxPage, WIDTHS } from './support/sandbox-page.ts';

const LIST = 'GET /partner/stores/warehouses';

describe.skipIf(!hasBrowser)('the controls of the sandbox page', () => {
  const sandbox = useSandboxPage();

  const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
  const createProduct = () =>
    sandbox.call('POST /partner/stores/products/bulk', { body: { products: [{ sku: 'A', price: 1 }] } });
  const lastFault = async () => (await sandbox.control('GET /requests')).json.requests.at(-1).fault;

  describe.each(WIDTHS)('at a width of %i pixels', (width) => {
    test('make an order', async () => {
      const page = await sandbox.open(width, 'orders');
      await page.getByLabel('Store', { exact: true }).selectOption('store-2wh');
      await page.getByLabel('Status', { exact: true }).selectOption('delivered');
      await page.getByLabel('The buyer complained').check();
      await press(page, 'Create the order');
      await shows(page, /Created INV-\d+-000001/);
      const href = await rowsOf(page).getByRole('link').first().getAttribute('href');
      const { json } = await sandbox.control(`GET /orders/${href?.split('/').at(-1)}`);
      expect(json.subStatus).toBe('delivered');
      await rowsOf(page).getByRole('link', { name: /^INV-/ }).click();
      await shows(detailOf(page), 'store-2wh', 'yes');
    });

    test('set a fault on the requests that match, and clear all faults', async () => {
      const page = await sandbox.open(width, 'faults');
      await page.getByLabel('HTTP status').fill('429');
      await page.getByLabel('Method').selectOption('GET');
      await page.getByLabel('Path below /api/v1').fill('/partner/stores/warehouses');
      await page.getByLabel('Times').fill('2');
      await press(page, 'Set the fault');
      await shows(page, 'Set, for 2 requests.');
      expect((await sandbox.call('GET /partner/stores/products')).status).toBe(200);
      expect((await sandbox.call(LIST)).status).toBe(429);
      await press(page, 'Clear all faults');
      await shows(page, 'Cleared.', 'No fault waits for a request');
      expect((await sandbox.call(LIST)).status).toBe(200);
    });

    test('change a product as the seller would, and remove it', async () => {
      const products = [{ sku: 'A/1 ä', price: 1, stock: 1 }];
      await sandbox.call('POST /partner/stores/products/bulk', { body: { products } });
      await sandbox.idle();
      const live = async () => (await sandbox.control('GET /stores/store-0wh/products')).json.products;
      const page = await sandbox.open(width, 'products');
      await page.getByRole('link', { name: 'A/1 ä' }).click();
      await page.getByLabel('New price').fill('2.5');
      await page.getByLabel('New stock, in each warehouse').fill('7');
      await press(page, 'Change the product');
      await shows(detailOf(page), 'Changed.', '2.5');
      expect(await live()).toMatchObject([{ sku: 'A/1 ä', price: 2.5, stock: 7 }]);
      await press(page, 'Remove the product');
      await shows(detailOf(page), 'Not found or removed');
      expect(await live()).toEqual([]);
    });

    test('offer every fault', async () => {
      const page = await sandbox.open(width, 'faults');
      await page.getByLabel('Fault', { exact: true }).waitFor();
      const kinds = await page.evaluate<string[]>(
        "[...document.querySelectorAll('select[name=kind] option')].map(({ value }) => value)",
      );
      const known = Object.keys(faultSchema.shape).filter((name) => name !== 'code');
      expect(kinds.sort()).toEqual(known.sort());
    });

    test('set where summaries go', async () => {
      const receiver = await startReceiver();
      const page = await sandbox.open(width, 'webhooks');
      await page.getByLabel('Webhook URL').fill(receiver.url);
      await page.getByLabel('Summaries of').selectOption('all');
      await press(page, 'Save the webhook');
      await shows(page, 'Saved.');
      await createProduct();
      await sandbox.idle();
      expect(receiver.received).toHaveLength(1);
      await receiver.close();
    });

    test('set the limits', async () => {
      const page = await sandbox.open(width, 'settings');
      await page.getByLabel('Requests per second').fill('2.5');
      await page.getByLabel('Rows per request').fill('1');
      await press(page, 'Set the limits');
      await shows(page.locator('main .facts'), '2.5');
      const { status, json } = await sandbox.call('POST /partner/stores/products/deletions', {
        body: { ids: ['a', 'b'] },
      });
      expect([status, json.error.code]).toEqual([400, 'VAL_001']);
      const state = await (await fetch(`${sandbox.url}/sandbox/page/state`)).json();
      expect(state).toMatchObject({ settings: { limits: { requestsPerSecond: 2.5, maxItems: 1 } } });
    });

    test('set the clock', async () => {
      const page = await sandbox.open(width, 'settings');
      await page.getByLabel('Offset (ms)').fill('360000');
      await press(page, 'Set the clock');
      await shows(page, 'The clock is off by 360000 ms.');
      expect((await sandbox.call(LIST)).json.error.code).toBe('AUTH_003');
    });

    test('block and unblock a store, and change its token', async () => {
      const page = await sandbox.open(width, 'stores/store-1wh');
      const codeOf = async (token?: string) => {
        const { json } = await sandbox.call(LIST, { store: 'store-1wh', ...(token ? { token } : {}) });
        return json.error?.code;
      };
      await press(page, 'Block the store');
      await detailOf(page).getByText('blocked', { exact: true }).waitFor();
      expect(await codeOf()).toBe('AUTH_014');
      await press(page, 'Unblock the store');
      await detailOf(page).getByText('connected', { exact: true }).waitFor();
      expect(await codeOf()).toBeUndefined();
      await page.getByLabel('New token').fill('another');
      await press(page, 'Change the token');
      await shows(detailOf(page), /^Changed/);
      expect([await codeOf(), await codeOf('another')]).toEqual(['AUTH_014', undefined]);
    });

    test('reset the sandbox, but only when that is confirmed', async () => {
      await createProduct();
      await sandbox.idle();
      const page = await sandbox.open(width, 'settings');
      const products = async () =>
        (await sandbox.control('GET /stores/store-0wh/products')).json.products.length;
      page.once('dialog', (dialog) => void dialog.dismiss());
      await press(page, 'Reset the sandbox');
      expect(await products()).toBe(1);
      page.once('dialog', (dialog) => void dialog.accept());
      await press(page, 'Reset the sandbox');
      await shows(page, 'Reset to the fixtures.');
      expect(await products()).toBe(0);
    });
  });

  test.each<[string, string, string, unknown]>([
    ['Answer 429 with Retry-After', 'Retry-After (seconds)', '7', { retryAfter: 7 }],
    ['Answer late', 'Delay (ms)', '5', { delayMs: 5 }],
    ['Answer with another content type', 'Content type', 'text/plain', { contentType: 'text/plain' }],
  ])('set a fault with a value: %s', async (kind, label, value, fault) => {
    const page = await sandbox.open(1280, 'faults');
    await page.getByLabel('Fault', { exact: true }).selectOption(kind);
    await page.getByLabel(label).fill(value);
    await press(page, 'Set the fault');
    await shows(page, 'Set, for one request.');
    await sandbox.call(LIST);
    expect(await lastFault()).toEqual(fault);
  });

  test.each<[string, unknown]>([
    ['Break the body of the answer', { malformed: true }],
    ['Answer with more than 10 MiB', { oversized: true }],
    ['Accept the rows and never apply them', { ignored: true }],
    ['Disturb the final summary', { webhook: 'duplicate' }],
    ['Cut the connection', { drop: 'before' }],
  ])('set a fault: %s', async (kind, fault) => {
    const page = await sandbox.open(1280, 'faults');
    await page.getByLabel('Fault', { exact: true }).selectOption(kind);
    await press(page, 'Set the fault');
    await shows(page, 'Set, for one request.');
    await sandbox.call(LIST).catch(() => undefined);
    expect(await lastFault()).toEqual(fault);
  });

  test('show what the sandbox refuses', async () => {
    const page = await sandbox.open(1280, 'faults');
    await page.getByLabel('Times').fill('0');
    await press(page, 'Set the fault');
    await shows(page, /^times: /);
    sandbox.forgetProblems();
  });
});
