import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../sandbox/index.ts';
import { hasBrowser } from './support/browser.ts';
import { detailOf, rowsOf, shows, useSandboxPage, WIDTHS } from './support/sandbox-page.ts';

describe.skipIf(!hasBrowser)('while the sandbox page is open', () => {
  const sandbox = useSandboxPage({ applyDelayMs: 3_000 });

  test.each(WIDTHS)('requests that come are shown without reload (%i pixels)', async (width) => {
    const page = await sandbox.open(width, 'requests');
    await shows(page, /No request has come yet/);
    await page.evaluate('window.loadedOnce = true');
    await sandbox.call('GET /partner/stores/warehouses');
    await shows(rowsOf(page), '/partner/stores/warehouses');
    await sandbox.call('GET /partner/stores/products', { store: 'store-1wh' });
    await shows(rowsOf(page), '/partner/stores/products');
    expect(await page.evaluate('window.loadedOnce')).toBe(true);
  });

  test('an open batch changes from waiting to applied', async () => {
    const answer = await sandbox.call('POST /partner/stores/products/bulk', {
      body: { products: [{ sku: 'A', price: 1 }] },
    });
    const page = await sandbox.open(1280, `batches/${answer.json.data.batchId}`);
    await detailOf(page).getByText('waiting', { exact: true }).waitFor();
    await detailOf(page).getByText('applied', { exact: true }).waitFor();
  });

  test('what is typed and what has the focus stay while other things change', async () => {
    await sandbox.call('GET /partner/stores/warehouses');
    const page = await sandbox.open(1280, 'requests/1');
    await page.getByRole('link', { name: '1', exact: true }).focus();
    await sandbox.call('GET /partner/stores/products');
    await rowsOf(page).nth(1).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('1');
    await page.goto(`${sandbox.url}/sandbox#/settings`);
    await page.getByLabel('Offset (ms)').fill('42');
    await sandbox.control('PUT /limits', { maxItems: 7 });
    await shows(page.locator('main .facts'), '7');
    expect(await page.getByLabel('Offset (ms)').inputValue()).toBe('42');
  });

  test('what a reset has removed is said to be gone', async () => {
    await sandbox.call('GET /partner/stores/warehouses');
    const page = await sandbox.open(1280, 'requests/1');
    await sandbox.control('POST /reset');
    await shows(detailOf(page), 'Not found or removed');
  });

  test('a sandbox that stops is said not to answer, and is shown again when it is back', async () => {
    const { port, close } = await startSandbox();
    const page = await sandbox.open(1280, 'start');
    await page.goto(`http://127.0.0.1:${port}/sandbox`);
    await shows(page, 'Live');
    await close();
    await shows(page, 'The sandbox does not answer');
    const again = await startSandbox({ port });
    await shows(page, 'Live');
    await again.close();
    await page.close();
    sandbox.forgetProblems();
  });
});
