import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { simpleProduct, skuOf } from '../../../local/run/catalog.ts';
import { until } from '../../../local/run/until.ts';
import { settlePrices } from '../../../tools/screenshots/drifting-listings.ts';
import { hasBrowser } from '../../browser/support/browser.ts';
import { shows, useConsole } from '../support/console-page.ts';
import { importProducts } from '../support/import-products.ts';
import { setAttribute } from '../support/set-attribute.ts';

const store = 'store-0wh';
const PRODUCTS = 5;
const skus = Array.from({ length: PRODUCTS }, (_, index) => skuOf(index + 1));

describe.skipIf(!hasBrowser)('a button of the console', () => {
  const console = useConsole();
  const call = (method: string, path: string, body?: object) =>
    console.run.partner.callApi(method, path, body);
  const products = async (storeClientId = store) => (await console.controls.products(storeClientId)).products;
  /** The prices that the marketplace has taken after the first, by product. */
  const pricesAt = async (storeClientId: string) =>
    (await products(storeClientId)).map(({ history }) => history.price.slice(1).map(({ price }) => price));
  const times = <T>(one: T) => skus.map(() => one);
  const isGone = (page: Page, heading: string) =>
    page.locator('main').getByRole('heading', { name: heading }).waitFor({ state: 'detached' });
  const press = async (page: Page, name: string) => {
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name, exact: true }).click();
  };
  beforeAll(async () => {
    const prices = Object.fromEntries(skus.map((sku) => [sku, 1000]));
    for (const storeClientId of [store, 'store-1wh']) {
      await importProducts(console.run, storeClientId, PRODUCTS);
      // A creation that is known later has the values that are newer than it sent again.
      await until('the listings of the products', async () => {
        const asked = skus.map((sku) => call('GET', `/stores/${storeClientId}/listings?target=sku:${sku}`));
        return (await Promise.all(asked)).every(({ status }) => status === 200);
      });
      await settlePrices(console.run, storeClientId, prices);
    }
  });

  describe('of held prices', () => {
    const limits = { maxListingsPercent: 20, maxChangePercent: 50, windowMinutes: 60 };
    const hold = async (storeClientId: string) => {
      expect(await call('PUT', `/stores/${storeClientId}/price-guard`, limits)).toMatchObject({
        status: 200,
      });
      const items = skus.map((sku) => ({ sku, price: 10 }));
      await call('POST', `/stores/${storeClientId}/prices`, { items });
      const page = await console.open('needs-you');
      await shows(page, 'Prices held', /listings changed their price by more than 50 %/);
      return page;
    };

    test('drops them, so that the marketplace keeps its prices', async () => {
      const page = await hold(store);
      await press(page, 'Discard the held prices');
      await isGone(page, 'Prices held');
      await settlePrices(console.run, store, { [skuOf(1)]: 1001 });
      expect(await pricesAt(store)).toEqual([[1000, 1001], ...times([1000]).slice(1)]);
    });

    test('sends them', async () => {
      const page = await hold('store-1wh');
      await press(page, 'Send the held prices');
      await isGone(page, 'Prices held');
      await until('the prices', async () =>
        (await pricesAt('store-1wh')).every((prices) => prices.at(-1) === 10),
      );
    });
  });

  describe('of a held file of stock', () => {
    const stocks = async () => (await products()).map(({ history }) => history.stock.at(-1)?.stock);
    const hold = async (name: string, stock: number) => {
      await console.run.partner.putImportFile(
        `stock/${store}/full/${name}.csv`,
        `sku,stock\n${skuOf(1)},${stock}\n`,
      );
      const page = await console.open('needs-you', { width: 390 });
      await shows(page, 'Import held', new RegExp(`${name}\\.csv`));
      return page;
    };
    beforeAll(async () => {
      // Older than the files, whose time has whole seconds.
      const occurredAt = Date.now() - 60_000;
      await call('POST', `/stores/${store}/stock`, {
        occurredAt,
        items: skus.map((sku) => ({ sku, stock: 70 })),
      });
      await until('the stock', async () => (await stocks()).every((stock) => stock === 70));
    });

    test('keeps the stock of what the file does not name', async () => {
      const page = await hold('kept', 71);
      await page.getByRole('link', { name: 'Look at the file' }).click();
      await shows(page, 'Held', 'Not named', '4 of 5 listings, 0 set to 0');
      await page.goBack();
      await press(page, 'Keep the missing stock');
      await isGone(page, 'Import held');
      await until('the stock', async () => (await stocks()).filter((stock) => stock === 70).length === 4);
    });

    test('sets the stock of what the file does not name to 0', async () => {
      const page = await hold('zeroed', 72);
      await press(page, 'Set the missing stock to 0');
      await isGone(page, 'Import held');
      await until('the stock', async () => (await stocks()).filter((stock) => stock === 0).length === 4);
    });
  });

  describe('of an order of unknown outcome', () => {
    /** The marketplace takes the decision, or does not, and its answer is lost. */
    const decide = async (drop: 'before' | 'after') => {
      const { orderId } = await console.controls.createOrder({ storeClientId: store, subStatus: 'pending' });
      await console.controls.addFault({ path: '/partner/stores/orders/decisions', fault: { drop } });
      await call('POST', `/stores/${store}/orders/decisions`, { items: [{ orderId, decision: 'accept' }] });
      const page = await console.open('needs-you');
      await shows(page, 'Order of unknown outcome');
      await page.getByRole('link', { name: 'Look at the order' }).click();
      await shows(page, orderId, 'unknown', /^\d{4}-\d\d-\d\d \d\d:/);
      return { page, orderId };
    };
    const stateOf = async (orderId: string) =>
      (await call('GET', `/stores/${store}/orders?orderId=${orderId}`)).body.decision.state;

    test('records that the marketplace has refused it', async () => {
      const { page, orderId } = await decide('after');
      await press(page, 'It was not done');
      await until('the record', async () => (await stateOf(orderId)) === 'rejected');
    });

    test('sends it again, if it was not taken', async () => {
      const { page, orderId } = await decide('before');
      const answer = page.waitForResponse((response) => response.url().endsWith('/orders/retry'));
      await press(page, 'Try again');
      expect((await answer).ok()).toBe(true);
      await until('its outcome', async () => (await stateOf(orderId)) === 'accepted', { withinMs: 60_000 });
      expect((await console.controls.order(orderId)).decisions).toHaveLength(1);
      await shows(page.getByRole('region', { name: 'Order', exact: true }), 'accepted');
    });
  });

  describe('of an unresolved batch', () => {
    /** A creation whose final summary is lost, and whose store cannot be read for an hour. */
    const unresolved = async (storeClientId: string, first: number) => {
      await console.controls.addFault({ path: '/partner/stores/catalog/*', fault: { webhook: 'drop' } });
      const rows = [simpleProduct(first), simpleProduct(first + 1)];
      const file = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      await console.run.partner.putImportFile(`catalog/${storeClientId}/unheard-${first}.ndjson`, file);
      const batch = await until('the batch', async () => {
        const { body } = await call('GET', `/batches?state=submitted&storeClientId=${storeClientId}`);
        return body.batches[0]?.announced.length > 0 && body.batches[0];
      });
      const { batchId } = batch;
      const set = (name: string, ago: number) =>
        setAttribute(console.run, {
          table: 'Batches',
          key: { batchId },
          name,
          value: new Date(Date.now() - ago).toISOString(),
        });
      await console.controls.setStore(storeClientId, { blocked: true });
      await set('deadlineAt', 1_000);
      await console.run.local.triggerSchedule('BatchSweeper');
      await set('lookedAt', 3_600_000);
      await console.run.local.triggerSchedule('BatchSweeper');
      await console.controls.setStore(storeClientId, { blocked: false });
      await call('POST', `/stores/${storeClientId}/resume`);
      return batchId as string;
    };
    const stateOf = async (batchId: string) => (await call('GET', `/batches/${batchId}`)).body.state;

    test('reads its rows back', async () => {
      const batchId = await unresolved('store-1wh', 51);
      const page = await console.open('needs-you');
      await shows(page, 'Batch unresolved', /the outcome of 2 of 2 rows is unknown/);
      await press(page, 'Read the rows back');
      await isGone(page, 'Batch unresolved');
      expect(await stateOf(batchId)).toBe('completed');
    });

    test('records its rows as accepted', async () => {
      const batchId = await unresolved(store, 71);
      const page = await console.open(`batches/${batchId}`, { width: 390 });
      await shows(page, 'Rows of unknown outcome: 2', skuOf(71));
      await press(page, 'Record the rest as accepted');
      await shows(page, 'completed', '2 accepted');
      expect((await call('GET', `/batches/${batchId}`)).body).toMatchObject({
        state: 'completed',
        rows: { sent: 2, accepted: 2, rejected: 0, unknown: 0 },
      });
    });

    test('records its rows as rejected, and then sends them again', async () => {
      const batchId = await unresolved('store-2wh', 61);
      for (const { sku } of await products('store-2wh'))
        await console.controls.removeProduct('store-2wh', sku);
      const page = await console.open('needs-you');
      await page.getByRole('link', { name: 'Look at its rows' }).click();
      await shows(page, 'Rows of unknown outcome: 2', skuOf(61));
      await press(page, 'Record the rest as rejected');
      await shows(page, 'failed', 'Rejected rows: 2');
      expect(await stateOf(batchId)).toBe('failed');
      await press(page, 'Send the failed rows again');
      await until('the products', async () => (await products('store-2wh')).length === 2);
    });
  });
});
