import { describe, expect, test } from 'vitest';
import { startReceiver } from '../unit/sandbox/webhook-receiver.ts';
import { hasBrowser } from './support/browser.ts';
import { detailOf, rowsOf, shows, useSandboxPage, WIDTHS } from './support/sandbox-page.ts';

const EXTERNAL_ID = '00000000-0000-4000-8000-000000000001';

describe.skipIf(!hasBrowser)('the sandbox page', () => {
  const sandbox = useSandboxPage();

  async function createProduct(product: Record<string, unknown>): Promise<void> {
    const products = [{ externalId: EXTERNAL_ID, price: 85_000, stock: 12, ...product }];
    await sandbox.call('POST /partner/stores/products/bulk', { body: { products } });
    await sandbox.idle();
  }

  describe.each(WIDTHS)('at a width of %i pixels', (width) => {
    test('shows the base URL, the credentials of the fixtures and a call to copy', async () => {
      const page = await sandbox.open(width, 'start');
      await shows(
        page,
        `${sandbox.url}/api/v1`,
        'sandbox-partner-secret',
        'other-partner-secret',
        'token-store-2wh',
      );
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy' }).click();
      await shows(page, 'Copied.');
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
        `curl -sS '${sandbox.url}/api/v1`,
      );
    });

    test('shows a request with its bodies, its row errors and the way to its batch and store', async () => {
      await createProduct({ sku: 'KOPI-250' });
      const items = [
        { sku: 'KOPI-250', price: 90_000 },
        { sku: 'NOWHERE', price: 1 },
      ];
      await sandbox.call('PATCH /partner/stores/products/prices', { body: { items } });
      await sandbox.idle();
      const page = await sandbox.open(width, 'requests');
      await rowsOf(page).first().getByRole('link', { name: '2', exact: true }).click();
      const detail = detailOf(page);
      await shows(detail, 'PRD_016', 'Invalid SKU', 'Row errors (1)');
      expect(await detail.getByLabel('Request body').textContent()).toBe(JSON.stringify({ items }, null, 2));
      expect(await detail.getByLabel('Answer body').textContent()).toContain('"acceptedRows"');
      expect(await detail.getByLabel('Request headers').textContent()).toMatch(/x-store-token: ••••/);
      await detail.getByText('sent', { exact: true }).click();
      expect(await detail.getByLabel('Row 1').textContent()).toContain('NOWHERE');
      await detail.getByRole('link', { name: 'price.update' }).click();
      await shows(detail, 'Batch: price.update', 'PRD_016');
      await detail.getByRole('link', { name: '#2' }).click();
      await shows(detail, 'Request 2');
      await detail.getByRole('link', { name: 'store-0wh' }).click();
      await shows(detail, 'token-store-0wh');
    });

    test('shows why a whole call was refused, field by field', async () => {
      await sandbox.call('POST /partner/stores/products/deletions', { body: { ids: [] } });
      const page = await sandbox.open(width, 'requests/1');
      await shows(detailOf(page), 'VAL_001', 'ids', /at least one/i);
    });

    test('shows stores with their state, warehouses and token', async () => {
      const page = await sandbox.open(width, 'stores');
      await rowsOf(page).filter({ hasText: 'store-blocked' }).getByText('blocked', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'store-2wh' }).click();
      await shows(detailOf(page), 'token-store-2wh', 'wh-1', 'wh-2', 'connected');
    });

    test('shows an order with its items and the decisions that came', async () => {
      const made = await sandbox.control('POST /orders', {
        storeClientId: 'store-0wh',
        subStatus: 'pending',
      });
      const { orderId, invoiceNumber } = made.json;
      await sandbox.call('POST /partner/stores/orders/decisions', {
        body: { items: [{ orderId, decision: 'accept' }] },
      });
      const page = await sandbox.open(width, 'orders');
      await shows(rowsOf(page), 'confirmed');
      await page.getByRole('link', { name: invoiceNumber }).click();
      await shows(detailOf(page), orderId, 'BATIK-M', /"accept"/);
    });

    test('shows a product with every price that it had', async () => {
      await createProduct({ sku: 'KOPI-250', name: 'Coffee beans' });
      await sandbox.call('PATCH /partner/stores/products/prices', {
        body: { items: [{ sku: 'KOPI-250', price: 91_000 }] },
      });
      await sandbox.idle();
      const page = await sandbox.open(width, 'products');
      await page.getByRole('link', { name: 'KOPI-250' }).click();
      const prices = detailOf(page).getByRole('table', { name: 'Prices' }).locator('tbody tr');
      await prices.nth(1).waitFor();
      expect(await prices.allTextContents()).toEqual([
        expect.stringContaining('91000'),
        expect.stringContaining('85000'),
      ]);
    });

    test('shows each delivery of a final summary with its outcome', async () => {
      const receiver = await startReceiver(500);
      await sandbox.control('PUT /webhook', { url: receiver.url, for: 'all' });
      await createProduct({ sku: 'KOPI-250' });
      const page = await sandbox.open(width, 'webhooks');
      await shows(page, receiver.url);
      await rowsOf(page).nth(1).waitFor();
      expect(await rowsOf(page).allTextContents()).toEqual([
        expect.stringMatching(/2002product\.create\.completed/),
        expect.stringMatching(/5001product\.create\.completed/),
      ]);
      await receiver.close();
    });

    test('shows which faults wait, and the request that met one', async () => {
      await sandbox.control('POST /faults', { path: '/partner/stores/*', times: 3, fault: { status: 503 } });
      await sandbox.call('GET /partner/stores/warehouses');
      const page = await sandbox.open(width, 'faults');
      expect(await rowsOf(page).first().textContent()).toBe('status 503any/partner/stores/*2');
      await page.getByRole('link', { name: /^Requests/ }).click();
      await rowsOf(page).first().getByText('fault').waitFor();
      await page.getByRole('link', { name: '1', exact: true }).click();
      await shows(detailOf(page), 'SYS_DEP_503', 'status 503');
    });

    test('shows what requests contain as text, never as markup', async () => {
      const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
      await createProduct({ sku: markup, name: markup });
      await sandbox.call(`GET /partner/stores/products/sku/${encodeURIComponent(markup)}?q=${markup}`, {
        headers: { 'user-agent': markup },
      });
      await sandbox.call('PATCH /partner/stores/products/prices', {
        body: { items: [{ sku: `no ${markup}`, price: 1 }] },
      });
      for (const view of ['requests/1', 'requests/2', 'requests/3', 'products', 'batches']) {
        const page = await sandbox.open(width, view);
        await shows(
          view.includes('/') ? detailOf(page) : rowsOf(page),
          view === 'batches' ? 'product.create' : 'onerror',
        );
        expect(await page.locator('img, body script').count()).toBe(0);
        expect(await page.title()).toMatch(/Sandbox marketplace$/);
      }
    });

    test('filters by text, status and store, and keeps the filters in the address', async () => {
      await sandbox.call('GET /partner/stores/warehouses', { store: 'store-1wh' });
      await sandbox.call('GET /partner/stores/products');
      await sandbox.call('GET /partner/stores/products', { secretKey: 'wrong' });
      const page = await sandbox.open(width, 'requests');
      const expectRows = async (...sequences: string[]) => {
        await expect.poll(() => rowsOf(page).locator('td:first-child').allTextContents()).toEqual(sequences);
      };
      await expectRows('3', '2', '1');
      await page.getByLabel('Filter by answer').selectOption('4xx');
      await expectRows('3');
      await page.getByLabel('Filter by answer').selectOption('');
      await page.getByLabel('Filter by store').selectOption('store-1wh');
      await expectRows('1');
      await page.getByLabel('Filter by store').selectOption('');
      await page.getByLabel('Search requests').fill('products');
      await expectRows('3', '2');
      await page.reload();
      await expectRows('3', '2');
      await page.getByLabel('Search requests').fill('nothing like this');
      await shows(page, 'Nothing matches the filters.');
    });
  });

  test.each(['%', 'toString', '__proto__/x', 'requests/%E0%A4%A', 'nowhere'])(
    'shows a page at the address #/%s, which has no entry',
    async (address) => {
      const page = await sandbox.open(1280, address);
      await page.getByRole('heading', { level: 1, name: /^(Start|Requests)$/ }).waitFor();
    },
  );

  test('is dark where the system is dark', async () => {
    const groundOf = async (scheme: 'light' | 'dark') => {
      const page = await sandbox.open(1280, 'start', scheme);
      return page.evaluate('getComputedStyle(document.body).backgroundColor');
    };
    expect(await groundOf('light')).toBe('rgb(246, 247, 249)');
    expect(await groundOf('dark')).toBe('rgb(20, 23, 28)');
  });

  test('is used by keyboard: a row opens with Enter, Escape closes it and gives the focus back', async () => {
    await sandbox.call('GET /partner/stores/warehouses');
    const page = await sandbox.open(1280, 'requests');
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.getByLabel('Filter by store').focus();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('1');
    await page.keyboard.press('Enter');
    await shows(detailOf(page), 'Request 1');
    expect(await focused()).toBe('Request 1');
    await rowsOf(page).locator('a[aria-current]').waitFor();
    await page.keyboard.press('Escape');
    await detailOf(page).waitFor({ state: 'hidden' });
    expect(await focused()).toBe('1');
  });
});
