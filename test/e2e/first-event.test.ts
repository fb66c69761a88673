import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { expect, test } from 'vitest';
import { simpleProduct } from '../../local/run/catalog.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';

const root = join(import.meta.dirname, '..', '..');
const readRoot = (path: string) => readFile(join(root, path), 'utf8');

test("README's first event is live at the marketplace, and README's last line shows it", async () => {
  const Entries: { Detail: string }[] = JSON.parse(await readRoot('docs/first-event.json'));
  const [{ storeClientId, items }] = Entries.map(({ Detail }) => JSON.parse(Detail)) as [
    { storeClientId: string; items: [{ sku: string; stock: number }] },
  ];
  const [{ sku, stock }] = items;
  const [, path] = /'http:\/\/127\.0\.0\.1:4567(\/stores\/\S+)'/.exec(await readRoot('README.md')) ?? [];
  expect(path).toContain(`/stores/${storeClientId}/listings?`);

  await using run = await startQuickRun();
  const products = [{ ...simpleProduct(0), sku }];
  const creation = await run.partner.callApi('POST', `/stores/${storeClientId}/products/bulk`, { products });
  expect(creation.status).toBeLessThan(300);
  await until('the product', async () =>
    (await run.controls?.products(storeClientId))?.products.some((product) => product.sku === sku),
  );

  const { endpoint, region, adminCredentials: credentials } = run.local;
  const events = new EventBridgeClient({ endpoint, region, credentials });
  const { FailedEntryCount } = await events.send(new PutEventsCommand({ Entries }));
  events.destroy();
  expect(FailedEntryCount).toBe(0);

  const seen = await until('the stock at the marketplace', async () => {
    const { body } = await run.partner.callApi('GET', path ?? '');
    const { stock: seen } = body.registers ?? {};
    // The marketplace has the stock a moment before its answer is recorded.
    return seen?.accepted?.value === stock && seen.live?.value === stock && seen;
  });
  const value = { value: stock };
  expect(seen).toMatchObject({ desired: value, sent: value, accepted: value, live: value });
});
