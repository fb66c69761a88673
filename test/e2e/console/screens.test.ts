import { beforeAll, describe, expect, test } from 'vitest';
import { simpleProduct, skuOf } from '../../../local/run/catalog.ts';
import { until } from '../../../local/run/until.ts';
import { sendDeadLetter } from '../../../tools/screenshots/fill-screens.ts';
import { hasBrowser } from '../../browser/support/browser.ts';
import { shows, useConsole } from '../support/console-page.ts';
import { endpoints } from '../support/endpoints.ts';
import { importProducts } from '../support/import-products.ts';
import { setAttribute } from '../support/set-attribute.ts';

const store = 'store-0wh';
const sku = skuOf(1);

describe.skipIf(!hasBrowser)('the console', () => {
  const console = useConsole();
  const call = (method: string, path: string, body?: object) =>
    console.run.partner.callApi(method, path, body);
  const productAtMarketplace = async () => {
    const { products } = await console.controls.products(store);
    return products.find((product) => product.sku === sku);
  };
  beforeAll(() => importProducts(console.run, store, 2));

  test('shows a dead letter in the flow, and a click leads to it', async () => {
    const page = await console.open('flow');
    const changes = page
      .getByRole('region', { name: 'Stock and prices' })
      .getByRole('link', { name: /Changes/ });
    await changes.waitFor();
    // The changes that the import of the products brought may still be in work.
    await expect.poll(() => changes.textContent(), { timeout: 30_000 }).toBe('0Changes');
    await sendDeadLetter(console.run);
    await shows(changes, '1 dead');
    await changes.click();
    await shows(page, 'dead-1');
    await page.getByRole('button', { name: 'Redrive', exact: true }).click();
    await shows(page, 'No queue has dead letters.');
  });

  test('shows what waits in a lane of a suspended store, and that it left once the store is resumed', async () => {
    await console.controls.setStore('store-2wh', { blocked: true });
    await call('POST', '/stores/store-2wh/stock', { items: [{ sku, stock: 3 }] });
    const page = await console.open('flow');
    const way = page.getByRole('region', { name: 'Stock and prices' });
    const lanes = way.getByRole('link', { name: /listings wait in 3 lanes/ });
    await shows(lanes, '1 wait for you', /^1$/, /^oldest \d/);
    await shows(page, 'of 50 requests per second used', 'full pace');
    await console.controls.setStore('store-2wh', { blocked: false });
    await call('POST', '/stores/store-2wh/resume');
    await console.run.local.triggerSchedule('LaneWaker');
    await shows(lanes, /^0$/);
  });

  test('follows a product from its desired stock to what is live', async () => {
    await call('POST', `/stores/${store}/stock`, { items: [{ sku, stock: 8 }] });
    const page = await console.open('needs-you');
    await page.getByLabel('Find anything').fill(sku);
    await page.keyboard.press('Enter');
    await shows(page, 'value.desired', 'value.sent', 'batch.ended', 'value.settled', /stock = 8/);
    await page.getByRole('button', { name: 'Read what is live' }).click();
    await shows(page, 'value.live');
    await page
      .getByRole('link', { name: /^batch / })
      .first()
      .click();
    await shows(page, '1 accepted', 'stock');
    // Stock has no command.
    expect(await page.getByText('Command', { exact: true }).count()).toBe(0);
  });

  test('finds a batch by its state, shows its failed row, and sends it again', async () => {
    await call('POST', `/stores/${store}/products/bulk`, {
      products: [{ ...simpleProduct(1), name: 'Taken already' }],
    });
    const failed = async () => {
      const { body } = await call('GET', `/batches?state=failed&storeClientId=${store}`);
      return body.batches as { batchId: string; retries?: string[] }[];
    };
    const [batch] = await until('the failed batch', async () => {
      const batches = await failed();
      return batches.length > 0 && batches;
    });
    const page = await console.open('batches', { width: 390 });
    await page.getByLabel('State').selectOption('failed');
    await shows(page, '1 rejected');
    expect(await page.getByText('accepted', { exact: false }).filter({ visible: true }).count()).toBe(0);
    await page.getByRole('link', { name: `${batch?.batchId.slice(0, 8)}…` }).click();
    await shows(page, 'Rejected rows: 1', 'PRD_002');
    const again = page.getByRole('button', { name: 'Send the failed rows again' });
    page.once('dialog', (dialog) => void dialog.accept());
    await again.click();
    await shows(page, 'Sent again: 1 row.');
    await until('the retry', async () => (await failed()).some(({ retries = [] }) => retries.length > 0));
    // The rows of an update are not kept.
    const { batchId = '' } = batch ?? {};
    await setAttribute(console.run, {
      table: 'Batches',
      key: { batchId },
      name: 'kind',
      value: 'product-update',
    });
    await again.waitFor({ state: 'detached' });
    await shows(page, 'product-update', 'Rejected rows: 1');
  });

  test('shows a file with the progress of its rows, the codes of the rejected ones and its warnings', async () => {
    const rows = [
      { ...simpleProduct(20), colour: 'red' },
      { ...simpleProduct(2), name: 'Taken already' },
    ];
    const file = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const page = await console.open(`imports?storeClientId=${store}`);
    await console.run.partner.putImportFile(`catalog/${store}/two-rows.ndjson`, file);
    const card = page.getByRole('listitem').filter({ hasText: 'two-rows.ndjson' });
    await shows(card, 'completed with errors', '1 accepted, 1 rejected', 'PRD_002 1', 'FIELD_UNKNOWN 1');
  });

  test.each([
    [
      'batches',
      /\/api\/batches\?/,
      { batches: [], cursor: 'older' },
      /^Of the newest batches none is like this/,
    ],
    [
      `drift?store=${store}&kind=contested`,
      /\/drift\/store/,
      { verification: {}, entries: [], cursor: 'older' },
      /nothing is among the contested differences: .* reads all/,
    ],
  ])(
    'says of a list whose first page is empty that there may be more: %s',
    async (screen, path, json, text) => {
      const page = await console.open(screen);
      await page.route(path, (route) => route.fulfill({ json }));
      await shows(page, text);
    },
  );

  test('fetches the label of an order, and opens it as a PDF', async () => {
    const { orderId } = await console.controls.createOrder({ storeClientId: store, subStatus: 'confirmed' });
    const page = await console.open('orders');
    await page.getByLabel('Order', { exact: true }).fill(orderId);
    await page.getByRole('button', { name: 'Show' }).click();
    await shows(page, 'There is no record of a decision or dropoff of it.');
    await page.getByRole('button', { name: 'Fetch the shipping label' }).click();
    const open = page.getByRole('link', { name: /^Open the PDF/ });
    const url = (await open.getAttribute('href')) ?? '';
    const content = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(content.subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('erases an order after a question, and says what was erased and what may be left', async () => {
    const { orderId } = await console.controls.createOrder({ storeClientId: store, subStatus: 'pending' });
    await call('POST', `/stores/${store}/orders/decisions`, { items: [{ orderId, decision: 'accept' }] });
    await call('POST', `/stores/${store}/orders/${orderId}/documents/invoice`);
    const document = `documents/${store}/${orderId}/invoice.pdf`;
    await until('the invoice', () => console.run.partner.hasDocument(document));
    const page = await console.open(`orders/${orderId}?store=${store}`, { width: 390 });
    const erase = async (answer: 'accept' | 'dismiss') => {
      page.once('dialog', (dialog) => void dialog[answer]());
      await page.getByRole('button', { name: 'Erase the order' }).click();
    };
    await erase('dismiss');
    expect(await console.run.partner.hasDocument(document)).toBe(true);
    await erase('accept');
    const erased = page.getByRole('region', { name: 'Personal data' });
    await shows(erased, document, `orderId:${orderId}`, /older versions/, /^\d{4}-\d\d-\d\d \d\d:/);
    expect(await console.run.partner.hasDocument(document)).toBe(false);
    await shows(page, 'There is no record of a decision or dropoff of it.');
    await erase('accept');
    await shows(erased, 'Nothing was found under this name.');
  });

  test('shows the events of the bus, sends one, and sends it again', async () => {
    const page = await console.open('events');
    await page.getByRole('button', { name: 'Listen' }).click();
    await shows(page, /^Listening: /);
    const detail = { storeClientId: store, items: [{ sku, stock: 31 }] };
    await page.getByLabel('Detail (JSON)').fill(JSON.stringify(detail));
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const sent = page.getByRole('listitem').filter({ hasText: 'stock.changed' });
    await sent.first().locator('summary').click();
    await shows(sent.first(), '"stock": 31');
    await until('the stock', async () => (await productAtMarketplace())?.stock === 31);
    await sent.first().getByRole('button', { name: 'Send it again' }).click();
    await sent.nth(1).waitFor();
  });

  test('says which field of an event is at fault, and does not send it', async () => {
    const page = await console.open('events');
    await page.getByLabel('Detail (JSON)').fill(JSON.stringify({ storeClientId: store, items: [] }));
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await shows(page, /the detail of stock\.changed breaks its schema: items/);
    console.forgetProblems();
  });

  test('makes an order at the sandbox, sets a fault and clears it', async () => {
    const page = await console.open('sandbox', { width: 390 });
    await page.getByRole('button', { name: 'Make the order' }).click();
    await shows(page, /^Made: /);
    await page.getByLabel('Fault', { exact: true }).selectOption('Answer 503');
    await page.getByRole('button', { name: 'Set the fault' }).click();
    await shows(page, 'Set for the next requests: 1.');
    const brands = async () => (await call('GET', '/brands?limit=1')).status;
    await page.getByRole('button', { name: 'Clear all faults' }).click();
    await shows(page, 'Cleared.');
    expect(await brands()).toBe(200);
  });

  test('offers faults for endpoints that the marketplace has', async () => {
    const page = await console.open('sandbox');
    const paths = await page.evaluate<string[]>(
      "[...document.querySelectorAll('select[name=path] option')].map(({ value }) => value)",
    );
    expect(paths.length).toBeGreaterThan(1);
    const known = endpoints.map(({ path }) => path);
    expect(paths.filter((path) => path !== '*' && !known.includes(path))).toEqual([]);
  });

  test('shows the stores with their states as they change', async () => {
    const page = await console.open('stores');
    const row = page.getByRole('row').filter({ hasText: 'store-1wh' });
    await shows(row, 'connected');
    await console.controls.setStore('store-1wh', { blocked: true });
    await call('POST', '/stores/store-1wh/products/bulk', { products: [simpleProduct(5)] });
    await shows(row, 'suspended');
    const onPhone = await console.open('stores', { width: 390 });
    const cell = onPhone.getByRole('row').filter({ hasText: 'suspended' });
    const [state, reason] = [cell.getByText('suspended'), cell.getByText(/AUTH_014/)];
    expect((await reason.boundingBox())?.x).toBe((await state.boundingBox())?.x);
    await console.controls.setStore('store-1wh', { blocked: false });
    await row.getByRole('button', { name: 'Resume' }).click();
    await shows(row, 'connected');
  });

  test('keeps the focus and what is typed while the stack changes', async () => {
    const page = await console.open('events');
    await page.getByLabel('Detail (JSON)').fill('{"half": ');
    const read = page.waitForResponse((response) => response.url().endsWith('/events'));
    await call('POST', `/stores/${store}/stock`, { items: [{ sku, stock: 32 }] });
    await read;
    expect(await page.getByLabel('Detail (JSON)').inputValue()).toBe('{"half": ');
    expect(await page.evaluate('document.activeElement.name')).toBe('detail');
  });
});
