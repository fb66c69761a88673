import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient } from '../../../cli/clients/api-client.ts';
import { createAwsClients } from '../../../cli/clients/aws-clients.ts';
import { startConsole } from '../../../cli/console/start-console.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import { startQuickRun } from '../../../local/run/quick-run.ts';
import { startRunConsole, targetOf } from '../../../local/run/run-console.ts';
import { violationsIn } from '../../../tools/screenshots/open-console.ts';
import { hasBrowser, startBrowser } from '../../browser/support/browser.ts';
import { shows } from '../support/console-page.ts';

const WITHIN_MS = 45_000;

describe.skipIf(!hasBrowser)('a console', () => {
  let browser: Browser;
  let run: ConnectorRun;
  beforeAll(async () => {
    browser = await startBrowser();
    run = await startQuickRun();
  });
  afterAll(async () => {
    await browser?.close();
    await run?.[Symbol.asyncDispose]();
  });

  /** A run, with the ports by which it can be started again. */
  const startAnother = async () => {
    const another = await startQuickRun();
    const portOf = (url: string) => Number(new URL(url).port);
    return {
      run: another,
      ports: { aws: portOf(another.local.endpoint), api: portOf(another.local.apiUrl) },
    };
  };

  const open = async (url: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    page.setDefaultTimeout(WITHIN_MS);
    await page.goto(url);
    return page;
  };

  test('whose credentials have expired says so, and what to do', async () => {
    const target = targetOf(run);
    const credentials = { ...run.local.adminCredentials, secretAccessKey: 'of-another-time' };
    const expired = { ...target, credentials };
    await using aws = createAwsClients(expired);
    await using console = await startConsole({
      target: expired,
      aws,
      api: createApiClient(expired),
      canWrite: true,
    });
    const page = await open(console.url);
    await shows(page, 'Not live', /signature|credentials/i);
    expect(await violationsIn(page)).toEqual([]);
  });

  test('whose address is opened in a second browser says what to do', async () => {
    await using console = await startRunConsole(run);
    await open(console.url);
    const page = await open(console.url);
    await shows(page, 'This browser has not opened the console', /Start the console again/);
    expect(await violationsIn(page)).toEqual([]);
  });

  test('says that an address does not exist, and shows the first screen for it', async () => {
    await using console = await startRunConsole(run);
    const page = await open(console.url);
    await shows(page, 'Live', 'Nothing needs you.');
    for (const hash of ['#/toString', '#/no-such-screen', '#/%E0%A4%A']) {
      await page.goto(`${console.origin}/${hash}`);
      await shows(page, 'Live', 'Nothing needs you.');
    }
    await page.goto(`${console.origin}/#/batches/no-such-batch`);
    await shows(page, 'Live', /no-such-batch/);
    await page.goto(`${console.origin}/#/stores`);
    await shows(page, 'store-0wh');
    await page.getByRole('alert').waitFor({ state: 'hidden' });
  });

  test('is live again after the stack was started again, and can listen to its events again', async () => {
    const { run: first, ports } = await startAnother();
    await using console = await startRunConsole(first);
    const page = await open(console.url);
    await page.goto(`${console.origin}/#/events`);
    const listen = page.getByRole('button', { name: 'Listen', exact: true });
    await listen.click();
    await shows(page, /^Listening: \d+ event/);
    await first[Symbol.asyncDispose]();
    await shows(page, 'Not live');
    await listen.waitFor();

    await using second = await startQuickRun({ ports });
    await shows(page, 'Live');
    await listen.click();
    await shows(page, /^Listening: \d+ event/);
    const detail = { storeClientId: 'store-0wh', items: [{ sku: 'AFTER-THE-START', stock: 1 }] };
    await second.partner.putEvents([{ detailType: 'stock.changed', detail }]);
    await page.getByText('AFTER-THE-START').first().waitFor({ state: 'attached' });
  });

  test('says when the stack and when its own server cannot be reached, and keeps what it has shown', async () => {
    const console = await startRunConsole(run);
    const page = await open(`${console.url}`);
    await page.goto(`${console.origin}/#/stores`);
    await shows(page, 'Live', 'store-0wh');
    await run[Symbol.asyncDispose]();
    await shows(page, 'Not live', /cannot reach the stack/, /What is shown was read at/, 'store-0wh');
    await console[Symbol.asyncDispose]();
    await shows(page, 'The console does not answer.', 'store-0wh');
  });
});
