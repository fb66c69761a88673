import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { banner } from '../../../sandbox/page/banner.ts';
import { useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();
const page = async () => (await fetch(`${sandbox.url}/sandbox`)).text();

describe('the page for people', () => {
  it('shows stores, products, batches, orders and requests', async () => {
    await sandbox.seed('store-0wh', { sku: 'SKU-ON-PAGE', name: '<b>bold</b>' });
    const { json } = await sandbox.control('POST /orders', {
      storeClientId: 'store-0wh',
      subStatus: 'confirmed',
    });
    const html = await page();
    for (const text of [
      'store-blocked',
      'SKU-ON-PAGE',
      'product.create',
      json.invoiceNumber,
      'POST /partner/stores/products/bulk',
    ]) {
      expect(html).toContain(text);
    }
    expect(html).toContain('&lt;b&gt;bold&lt;/b&gt;');
  });

  it('shows why a signature failed: the base string beside what was sent, the token masked', async () => {
    await sandbox.call('GET /partner/stores/warehouses?a=b', { token: 'very-secret', secretKey: 'wrong' });
    const html = await page();
    expect(html).toContain('GET /api/v1/partner/stores/warehouses?a=b\nx-partner-client-id: sandbox-partner');
    expect(html).toContain(
      'GET\n/partner/stores/warehouses\nx-partner-client-id:sandbox-partner\nx-store-client-id:store-0wh\nx-store-token:••••',
    );
    expect(html).not.toContain('very-secret');
  });
});

describe('the banner', () => {
  it('names every fixture', () => {
    const text = banner(sandbox.url);
    for (const name of ['sandbox-partner-secret', 'other-partner', 'token-store-2wh', 'store-blocked']) {
      expect(text).toContain(name);
    }
  });

  it('has a signed call that works as printed', async () => {
    const text = banner(sandbox.url);
    const command = text.slice(text.indexOf('TIMESTAMP='));
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: [{ clientId: 'wh-1' }] });
  });
});
