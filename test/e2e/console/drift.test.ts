import { beforeAll, describe, expect, test } from 'vitest';
import { skuOf } from '../../../local/run/catalog.ts';
import { until } from '../../../local/run/until.ts';
import { contestPrice, settlePrices, verifyAll } from '../../../tools/screenshots/drifting-listings.ts';
import { hasBrowser } from '../../browser/support/browser.ts';
import { shows, useConsole } from '../support/console-page.ts';
import { createDirectly } from '../support/create-directly.ts';
import { importProducts } from '../support/import-products.ts';

const store = 'store-1wh';
const sku = skuOf(1);
const price = 50_001;
const PRODUCTS = 3;
/** Several cycles of the listing-verifier. */
const SLOW = { timeout: 240_000 };

describe.skipIf(!hasBrowser)('the drift of a store', () => {
  const console = useConsole();
  const livePrice = async () => {
    const { products } = await console.controls.products(store);
    return products.find((product) => product.sku === sku)?.price;
  };
  beforeAll(async () => {
    await importProducts(console.run, store, PRODUCTS - 1);
    await createDirectly(console.run, store, [PRODUCTS]);
    await settlePrices(console.run, store, { [sku]: price, [skuOf(2)]: price });
  });

  test('says that no cycle has ended, and then what the last one has found', async () => {
    const page = await console.open(`drift?store=${store}`);
    await shows(
      page,
      'No whole cycle of the listing-verifier has ended yet.',
      `${store} has no differences.`,
    );
    await verifyAll(console.run, store);
    await shows(page, '100 % of the listings verified in the last 24 hours', /^ended .* ago, 2 listings$/);
    await page.getByLabel('Show', { exact: true }).selectOption('products without a listing');
    await shows(page.getByRole('table'), skuOf(PRODUCTS));
  });

  test('is one row of the overview of all stores, which takes one call for all of them', async () => {
    const page = await console.open('drift');
    const calls: string[] = [];
    page.on('request', (request) => calls.push(new URL(request.url()).pathname));
    const overview = page.getByRole('table', { name: 'Drift of all stores' });
    for (const name of ['store-0wh', 'store-2wh']) await shows(overview, name);
    const row = overview.getByRole('row').filter({ hasText: store });
    await shows(row, /^ended/, '100 % in 24 h');
    calls.splice(0);
    await page.waitForResponse((response) => response.url().includes('/api/drift'));
    expect(new Set(calls)).toEqual(new Set(['/state', '/api/drift']));
    await row.getByRole('link', { name: '1', exact: true }).click();
    await shows(page.getByRole('table', { name: 'Drift: products without a listing' }), skuOf(PRODUCTS));
    await page.getByLabel('Store', { exact: true }).selectOption('all stores');
    await overview.waitFor();
  });

  test('shows a contested value, which its button repairs once that is confirmed', SLOW, async () => {
    await contestPrice(console.run, store, { sku, price });
    const page = await console.open('needs-you');
    await shows(page, 'Listing contested', /^sku:.* changes at the marketplace again after each repair/);
    await page.getByRole('link', { name: 'Look at the differences' }).click();
    const row = page.getByRole('row').filter({ hasText: sku });
    await shows(row, 'price', String(price), '4', 'contested');
    const copy = row.getByRole('button', { name: 'Copy the command' });
    expect(await copy.getAttribute('title')).toBe(
      `npm run -s connector -- drift repair sku:${sku} --store ${store}`,
    );
    const repair = row.getByRole('button', { name: /^Repair / });
    page.once('dialog', (dialog) => void dialog.dismiss());
    await repair.click();
    expect(await livePrice()).toBe(4);
    page.once('dialog', (dialog) => void dialog.accept());
    await repair.click();
    await shows(page, `The newest values of sku:${sku} are sent again.`);
    await shows(row, 'drifted', /^repair began/);
    await until('the repair', async () => (await livePrice()) === price);
    await page.getByRole('link', { name: 'Needs you' }).click();
    await shows(page, 'Nothing needs you.');
  });

  test('asks before it repairs a listing whose other value is contested', async () => {
    const page = await console.open(`drift?store=${store}`);
    const since = '2026-11-22T00:00:00.000Z';
    const value = { target: `sku:${sku}`, wanted: 1, live: 2, since, command: 'drift repair' };
    const entries = [
      { ...value, kind: 'drifted', register: 'price' },
      { ...value, kind: 'contested', register: 'stock', contestedSince: since },
    ];
    const json = { verification: {}, entries };
    await page.route(/\/drift\/store/, (route) => route.fulfill({ json }));
    const asked = new Promise<string>((resolve) =>
      page.once('dialog', (dialog) => {
        resolve(dialog.message());
        void dialog.dismiss();
      }),
    );
    await shows(page.getByRole('table'), 'contested');
    await page.getByRole('button', { name: `Repair price of sku:${sku}` }).click();
    expect(await asked).toMatch(/^Has the other source/);
  });

  test('is ended by the button of what needs a person, on a phone', SLOW, async () => {
    await contestPrice(console.run, store, { sku, price });
    const page = await console.open('needs-you', { width: 390 });
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Send the values again' }).click();
    await shows(page, 'Nothing needs you.');
    await until('the repair', async () => (await livePrice()) === price);
  });

  test('of more listings than a page shows goes on with a button', SLOW, async () => {
    const [many, COUNT] = ['store-2wh', 105];
    const skus = Array.from({ length: COUNT }, (_, index) => skuOf(index + 1));
    await importProducts(console.run, many, COUNT);
    await settlePrices(console.run, many, Object.fromEntries(skus.map((name) => [name, price])));
    await console.run.partner.callApi('PUT', `/stores/${many}`, { repair: false });
    await Promise.all(skus.map((name) => console.controls.editProduct(many, name, { price: 8 })));
    await verifyAll(console.run, many);
    const page = await console.open(`drift?store=${many}`, { width: 390 });
    await shows(page, 'The first 100 entries are shown.');
    await page.getByRole('button', { name: 'Show more' }).click();
    await shows(page, `sku:${skuOf(COUNT)}`);
    expect(await page.getByRole('row').count()).toBe(COUNT);
  });

  test('cannot be repaired without --write', async () => {
    await console.run.partner.callApi('PUT', `/stores/${store}`, { repair: false });
    await console.controls.editProduct(store, sku, { price: 9 });
    await verifyAll(console.run, store);
    const page = await console.openReadOnly();
    await page.getByRole('link', { name: 'Drift' }).click();
    await page.getByLabel('Store', { exact: true }).selectOption(store);
    const row = page.getByRole('row').filter({ hasText: sku });
    await shows(row, 'drifted', '9');
    expect(await row.getByRole('button', { name: /^Repair / }).isDisabled()).toBe(true);
  });
});
