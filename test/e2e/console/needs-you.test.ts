import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { simpleProduct, skuOf } from '../../../local/run/catalog.ts';
import { until } from '../../../local/run/until.ts';
import { sendDeadLetter } from '../../../tools/screenshots/fill-screens.ts';
import { hasBrowser } from '../../browser/support/browser.ts';
import { shows, useConsole } from '../support/console-page.ts';
import { importProducts } from '../support/import-products.ts';
import { postSummary } from '../support/signed-summary.ts';

const store = 'store-0wh';

describe.skipIf(!hasBrowser)('what needs a person', () => {
  const console = useConsole();
  const stockAtMarketplace = async (sku: string) => {
    const { products } = await console.controls.products(store);
    return products.find((product) => product.sku === sku)?.stock;
  };

  const isGone = (page: Page, heading: string) =>
    page.locator('main').getByRole('heading', { name: heading }).waitFor({ state: 'detached' });

  test('is nothing in a stack that has just started', async () => {
    const page = await console.open('needs-you');
    await shows(page, 'Nothing needs you.');
  });

  test('a dead letter is seen, understood and redriven in three steps', async () => {
    await importProducts(console.run, store, 1);
    await sendDeadLetter(console.run);

    const page = await console.open('needs-you');
    await shows(page, 'Dead letters', /about 1 message of the queue .*Changes/);
    await page.getByRole('link', { name: 'Look at them' }).click();
    await shows(page, 'stock.changed', store, 'dead-1', '"stock": 17');
    await page.getByRole('button', { name: 'Redrive', exact: true }).click();
    await shows(page, /^Moved 1 to .*Changes/, 'No queue has dead letters.');
    await until('the stock of the dead letter', async () => (await stockAtMarketplace(skuOf(1))) === 17);
    await page.getByRole('link', { name: 'Needs you' }).click();
    await isGone(page, 'Dead letters');
  });

  test('cannot be ended without --write: the page says so, and has the command', async () => {
    await sendDeadLetter(console.run);
    const page = await console.openReadOnly();
    await shows(page, 'local · read-only', 'Dead letters', /dlq redrive/);
    expect(await page.getByRole('button', { name: 'Redrive', exact: true }).isDisabled()).toBe(true);
    const writing = await console.open('dead-letters');
    await writing.getByRole('button', { name: 'Redrive', exact: true }).click();
    await isGone(page, 'Dead letters');
  });

  test('a suspended store is resumed', async () => {
    await console.controls.setStore('store-1wh', { blocked: true });
    await console.run.partner.callApi('POST', '/stores/store-1wh/products/bulk', {
      products: [simpleProduct(5)],
    });
    const page = await console.open('needs-you', { width: 390 });
    await shows(page, 'Store suspended', 'Check and save the token');
    await console.controls.setStore('store-1wh', { blocked: false });
    await page.getByRole('button', { name: 'Resume the store' }).click();
    await isGone(page, 'Store suspended');
    const { body } = await console.run.partner.callApi('GET', '/stores/store-1wh');
    expect(body).toMatchObject({ state: 'connected' });
  });

  test('an order of unknown outcome is recorded as done, but only when that is confirmed', async () => {
    const { orderId } = await console.controls.createOrder({ storeClientId: store, subStatus: 'pending' });
    await console.controls.addFault({ path: '/partner/stores/orders/decisions', fault: { drop: 'after' } });
    await console.run.partner.callApi('POST', `/stores/${store}/orders/decisions`, {
      items: [{ orderId, decision: 'accept' }],
    });
    const stateOf = async () =>
      (await console.run.partner.callApi('GET', `/stores/${store}/orders?orderId=${orderId}`)).body.decision
        .state;
    const page = await console.open('needs-you');
    await shows(page, 'Order of unknown outcome', 'First look at', new RegExp(orderId));
    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.getByRole('button', { name: 'It was done' }).click();
    expect(await stateOf()).toBe('unknown');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'It was done' }).click();
    await isGone(page, 'Order of unknown outcome');
    expect(await stateOf()).toBe('accepted');
  });

  test('a summary without a batch is discarded', async () => {
    const secret = console.run.marketplace.partnerSecretKey;
    await postSummary(console.run.local, { batchId: 'of-no-batch', storeClientId: store, secret });
    const page = await console.open('needs-you');
    await shows(page, 'Summary without a batch', /names batch or request of-no-batch/);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Discard the summary' }).click();
    await isGone(page, 'Summary without a batch');
  });

  test('a store whose stock is refused for now is named while the marketplace answers other requests', async () => {
    const { partner } = console.run;
    await importProducts(console.run, 'store-2wh', 1);
    const fault = { status: 503, code: 'SYS_DEP_503' };
    await console.controls.addFault({ path: '/partner/stores/inventory', times: 1_000, fault });
    await partner.callApi('POST', '/stores/store-2wh/stock', { items: [{ sku: skuOf(1), stock: 3 }] });
    const page = await console.open('needs-you');
    const well = page.locator('.well');
    const named = /store-2wh: its requests of stock and prices fail.*\d tries, last failure 503 SYS_DEP_503/;
    await until('the store on the page', async () => {
      await partner.callApi('GET', '/brands?q=an');
      return named.test((await well.textContent()) ?? '');
    });
    expect(await well.textContent()).not.toContain('All is well');

    await console.controls.clearFaults();
    await shows(well, 'All is well. Nothing needs you.');
  });
});
