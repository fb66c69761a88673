import { beforeAll, describe, expect, test } from 'vitest';
import { skuOf } from '../../../local/run/catalog.ts';
import { until } from '../../../local/run/until.ts';
import { sendDeadLetter } from '../../../tools/screenshots/fill-screens.ts';
import { hasBrowser } from '../../browser/support/browser.ts';
import { shows, useConsole } from '../support/console-page.ts';
import { importProducts } from '../support/import-products.ts';

const store = 'store-0wh';
const sku = skuOf(1);

describe.skipIf(!hasBrowser)('the first screen of the console shows', () => {
  const console = useConsole();
  const setStock = (storeClientId: string, stock: number) =>
    console.run.partner.callApi('POST', `/stores/${storeClientId}/stock`, { items: [{ sku, stock }] });
  const arrives = (storeClientId: string, stock: number) =>
    until(`stock ${stock}`, async () => {
      await console.run.local.triggerSchedule('LaneWaker');
      const { products } = await console.controls.products(storeClientId);
      return products.find((product) => product.sku === sku)?.stock === stock;
    });
  beforeAll(async () => {
    await importProducts(console.run, store, 1);
    await importProducts(console.run, 'store-1wh', 1);
  });

  test('that the marketplace answers 503, since when, and that nothing is to be done; and then that it answers again', async () => {
    const page = await console.open('needs-you', { width: 390 });
    await shows(page, 'All is well. Nothing needs you.', 'dead-letter queues are empty');
    const marketplace = page.getByRole('region', { name: 'The marketplace' });
    await console.controls.addFault({ path: '*', times: 1_000, fault: { status: 503, code: 'SYS_DEP_503' } });
    await setStock(store, 11);
    await shows(marketplace, /answers 503 SYS_DEP_503 since \d\d:\d\d:\d\d/, /sent again by themselves/);
    await shows(page, 'The marketplace does not answer as it should: what waits is sent when it does.');
    await page.goto(page.url().replace(/#.*/, `#/find/${sku}`));
    await shows(marketplace, /answers 503/);
    await console.controls.clearFaults();
    await arrives(store, 11);
    await shows(marketplace, /answers( again)?/);
    await marketplace.getByText(/since \d\d:/).waitFor({ state: 'detached' });
  });

  test('a store whose token was revoked: the new token ends it, and is not shown', async () => {
    await console.controls.setStore('store-1wh', { token: 'token-of-tomorrow' });
    await setStock('store-1wh', 12);
    const page = await console.open('needs-you');
    const card = page.getByRole('listitem').filter({ hasText: 'Store suspended' });
    await shows(card, 'Critical', /AUTH_014/, 'Its token was revoked or replaced: give the new one');
    const token = card.getByLabel('New token of store-1wh');
    expect(await token.getAttribute('type')).toBe('password');
    expect(await token.getAttribute('autocomplete')).toBe('off');
    const give = async (value: string) => {
      await token.fill(value);
      await card.getByRole('button', { name: 'Check and save the token' }).click();
    };
    await give('token-of-yesterday');
    await shows(page.locator('#notice'), /^The token was not saved: /);
    console.forgetProblems();
    await give('token-of-tomorrow');
    await shows(page.locator('#notice'), /store-1wh is connected/);
    await card.waitFor({ state: 'detached' });
    expect(await page.content()).not.toMatch(/token-of-(yesterday|tomorrow)/);
    await page.getByRole('link', { name: 'Look at what is sent' }).click();
    await page.getByRole('heading', { name: 'Flow' }).waitFor();
    await arrives('store-1wh', 12);
  });

  test('two messages that can never be processed: they are read, and deleted with a reason that is kept', async () => {
    await sendDeadLetter(console.run, { id: 'poison-1', detail: { storeClientId: store, items: 'none' } });
    await sendDeadLetter(console.run, { id: 'poison-2', detail: { storeClientId: store, items: 'none' } });
    const page = await console.open('needs-you');
    await shows(page, 'Dead letters', /about 2 messages of the queue .*Changes/);
    await page.getByRole('link', { name: 'Choose messages to delete' }).click();
    await shows(page, 'poison-1', 'poison-2');
    await page.getByRole('button', { name: 'Choose all that are shown' }).click();
    await page.getByLabel('Reason').fill('an exporter wrote a word in place of the items');
    await page.getByRole('button', { name: 'Delete the chosen messages' }).click();
    await shows(page.locator('#notice'), /^Deleted 2 messages/);
    await page.locator('#notice').getByRole('link', { name: 'Look at them' }).click();
    await shows(page, 'DEAD_LETTER_DELETED', /an exporter wrote a word/);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    expect((await saved).suggestedFilename()).toBe('rejections.csv');
    await page.getByRole('link', { name: 'Needs you' }).click();
    await shows(page, 'All is well. Nothing needs you.');
  });
});
