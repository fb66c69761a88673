import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { skuOf } from '../../../local/run/catalog.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import { until } from '../../../local/run/until.ts';
import { hasBrowser } from '../../browser/support/browser.ts';
import { shows, useConsole } from '../support/console-page.ts';
import { importProducts } from '../support/import-products.ts';
import { getItem } from '../support/set-attribute.ts';

const store = 'store-0wh';
const BATCHES = 1000;
/** The maximum of one write in DynamoDB. */
const PER_WRITE = 25;
/** Entries that a list shows at first, and more with each press of its button. */
const STEP = 100;

/** Writes items into a table directly. */
async function putItems({ local }: ConnectorRun, table = '', items: readonly object[] = []): Promise<void> {
  const { endpoint, region, adminCredentials: credentials } = local;
  const client = new DynamoDBClient({ endpoint, region, credentials });
  const tables = DynamoDBDocumentClient.from(client);
  for (let start = 0; start < items.length; start += PER_WRITE) {
    const some = items.slice(start, start + PER_WRITE).map((Item) => ({ PutRequest: { Item: { ...Item } } }));
    await tables.send(new BatchWriteCommand({ RequestItems: { [table]: some } }));
  }
  client.destroy();
}

describe.skipIf(!hasBrowser)('the flow of more stores than it counts', () => {
  const console = useConsole();

  test('says that it counts the lanes of the first ones', async () => {
    const { run } = console;
    const stored = await getItem(run, { table: 'Stores', key: { storeClientId: store } });
    const copies = Array.from({ length: 60 }, (_, index) => ({ ...stored, storeClientId: `copy-${index}` }));
    await putItems(run, run.local.outputs.StoresTableName, copies);
    const page = await console.open('flow');
    await shows(page, 'listings wait in the first 50 lanes');
  });
});

describe.skipIf(!hasBrowser)('a list of 1,000 batches', () => {
  const console = useConsole();
  /** Ends a batch of stock, and returns its ID. */
  const endBatch = async (stock: number) => {
    const { run } = console;
    await run.partner.callApi('POST', `/stores/${store}/stock`, { items: [{ sku: skuOf(1), stock }] });
    return until(`the batch of stock ${stock}`, async () => {
      const path = `/listings?target=sku%3A${skuOf(1)}`;
      const { body } = await run.partner.callApi('GET', `/stores/${store}${path}`);
      const { sent, accepted } = body.registers?.stock ?? {};
      return accepted?.value === stock && (sent.batchId as string);
    });
  };
  beforeAll(async () => {
    const { run } = console;
    await importProducts(run, store, 1);
    const batch = await getItem(run, { table: 'Batches', key: { batchId: await endBatch(1) } });
    const copies = Array.from({ length: BATCHES }, (_, index) => ({
      ...batch,
      batchId: randomUUID(),
      submittedAt: new Date(Date.parse(String(batch?.submittedAt)) - 1000 * (index + 1)).toISOString(),
    }));
    await putItems(run, run.local.outputs.BatchesTableName, copies);
  });

  const rowsOf = (page: Page) => page.locator('tbody tr');
  /** Limits of the calls for batches that the page makes from now on. */
  const limitsAsked = (page: Page) => {
    const limits: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/batches') limits.push(searchParams.get('limit'));
    });
    return limits;
  };

  test('begins with its newest, and reads no more than it shows, in one call each time', async () => {
    const page = await console.open('flow');
    const limits = limitsAsked(page);
    await page.goto(`${new URL(page.url()).origin}/#/batches?storeClientId=${store}`);
    await shows(page, `The newest ${STEP} are shown.`);
    expect(await rowsOf(page).count()).toBe(STEP);
    expect(new Set(limits)).toEqual(new Set([String(STEP)]));
  });

  test('grows by the keyboard alone, which keeps the focus', async () => {
    const page = await console.open(`batches?storeClientId=${store}`);
    const more = page.getByRole('button', { name: 'Show more' });
    for (let shown = 2 * STEP; shown <= 9 * STEP; shown += STEP) {
      await more.focus();
      await page.keyboard.press('Enter');
      await shows(page, `The newest ${shown} are shown.`);
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Show more');
      expect(await rowsOf(page).count()).toBe(shown);
    }
  });

  test('draws the new row alone when a batch ends', async () => {
    const page = await console.open(`batches?storeClientId=${store}`);
    await shows(page, `The newest ${STEP} are shown.`);
    await page.evaluate(`
      globalThis.drawn = { added: 0, removed: 0 };
      new MutationObserver((changes) => {
        for (const { addedNodes, removedNodes } of changes) {
          drawn.added += addedNodes.length;
          drawn.removed += removedNodes.length;
        }
      }).observe(document.querySelector('tbody'), { childList: true });
    `);
    const batchId = await endBatch(2);
    await shows(page, `${batchId.slice(0, 8)}…`);
    expect(await page.evaluate('drawn')).toEqual({ added: 1, removed: 1 });
    expect(await rowsOf(page).count()).toBe(STEP);
  });
});
