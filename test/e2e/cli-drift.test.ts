import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simpleProduct, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';
import { hastyTemplate } from '../../tools/chaos/hasty-template.ts';
import { type CommandLine, createCommandLine } from './support/command-line.ts';
import { createDirectly } from './support/create-directly.ts';
import { importProducts } from './support/import-products.ts';

/** The products of `store` are more than one call of `reconcile` compares. */
const PRODUCTS = 130;
const store = 'store-2wh';
const FEW_PRODUCTS = 4;
const smallStore = 'store-1wh';
const WITHIN = { withinMs: 60_000, everyMs: 250 };

let run: ConnectorRun;
let controls: SandboxControls;
let connector: CommandLine;

beforeAll(async () => {
  const template = await hastyTemplate({ requestsPerSecond: 200, requestsInFlight: 20 });
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    if (Type !== 'AWS::Lambda::Function' || !id.startsWith('ListingVerifier')) continue;
    const verifier = Properties as { Timeout: number; Environment: { Variables: Record<string, string> } };
    verifier.Timeout = 200;
    const settings = {
      VERIFIER_CALLS_PER_RUN: '20',
      VERIFIER_GRACE_SECONDS: '1',
      VERIFIER_CYCLE_HOURS: '0.0001',
    };
    Object.assign(verifier.Environment.Variables, settings);
  }
  run = await startQuickRun({
    template,
    schedules: 'manual',
    stores: { [store]: `token-${store}`, [smallStore]: `token-${smallStore}` },
  });
  if (run.controls === undefined) throw new Error('these tests need the sandbox');
  controls = run.controls;
  connector = await createCommandLine(run);
  await Promise.all([importProducts(run, store, PRODUCTS), importProducts(run, smallStore, 3)]);
  await createDirectly(
    run,
    smallStore,
    Array.from({ length: FEW_PRODUCTS - 3 }, (_, index) => 4 + index),
  );
});

afterAll(async () => {
  await connector?.[Symbol.asyncDispose]();
  await run?.[Symbol.asyncDispose]();
});

async function livePrice(storeClientId: string, sku: string): Promise<number | undefined> {
  const { products } = await controls.products(storeClientId);
  return products.find((product) => product.sku === sku)?.price;
}

/** Runs the verifier until a whole cycle that begins now has ended. */
async function verifyAll(): Promise<void> {
  const begun = Date.now();
  await until(
    'a whole cycle',
    async () => {
      await run.local.triggerSchedule('ListingVerifier');
      const { body } = await run.partner.callApi('GET', `/stores/${smallStore}/drift?limit=1`);
      const { lastCycle } = body.verification;
      return lastCycle !== undefined && Date.parse(lastCycle.startedAt) > begun;
    },
    WITHIN,
  );
}

/** Runs the verifier until these products are the ones that differ: a value within its grace time is not compared. */
async function verifyUntilOnly(...skus: readonly string[]): Promise<void> {
  await until(
    `differences of ${skus.join(', ') || 'no product'}`,
    async () => {
      await run.local.triggerSchedule('ListingVerifier');
      const { body } = await run.partner.callApi('GET', `/stores/${smallStore}/drift`);
      const targets = body.entries.map(({ target }: { target: string }) => target);
      return isDeepStrictEqual(
        targets,
        skus.map((sku) => `sku:${sku}`),
      );
    },
    WITHIN,
  );
}

/** Writes a file for a command. */
const save = (name: string, content: string) => writeFile(join(connector.folder, name), content);

describe('drift', () => {
  test('differences are listed with the last cycle, and those that are named are repaired', async () => {
    const [edited, alsoEdited, removed] = [skuOf(1), skuOf(2), skuOf(3)];
    expect((await run.partner.callApi('PUT', `/stores/${smallStore}`, { repair: false })).status).toBe(200);
    const before = await connector.run('drift list');
    expect(before).toMatchObject({ exitCode: 0, stderr: '' });
    for (const name of [store, smallStore])
      expect(before.stdout).toMatch(new RegExp(`^${name} +none yet$`, 'm'));
    expect(before.stdout).toMatch(/\n\nNothing was found\.\n$/);
    const items = [edited, alsoEdited, removed].map((sku) => ({ sku, price: 70_000 }));
    await run.partner.sendChanges([
      JSON.stringify({ 'detail-type': 'price.changed', detail: { storeClientId: smallStore, items } }),
    ]);
    await until(
      'the prices',
      async () => {
        await run.local.triggerSchedule('LaneWaker');
        const path = `/stores/${smallStore}/listings?target=${encodeURIComponent(`sku:${removed}`)}`;
        const { body } = await run.partner.callApi('GET', path);
        return body.registers?.price?.accepted?.value === 70_000;
      },
      WITHIN,
    );
    await controls.editProduct(smallStore, edited, { price: 71_000 });
    await controls.editProduct(smallStore, alsoEdited, { price: 72_000 });
    await controls.removeProduct(smallStore, removed);
    await verifyUntilOnly(edited, alsoEdited);
    await verifyAll();

    const [{ entries, verification }] = await connector.json(`drift list --store ${smallStore}`);
    expect(entries).toEqual([
      expect.objectContaining({ kind: 'drifted', target: `sku:${edited}`, wanted: 70_000, live: 71_000 }),
      expect.objectContaining({ kind: 'drifted', target: `sku:${alsoEdited}`, live: 72_000 }),
    ]);
    const shown = (await connector.run(`drift list --store ${smallStore}`)).stdout;
    expect(shown).toContain(verification.lastCycle.endedAt.slice(0, 10));
    expect(shown).toMatch(new RegExp(`^store-1wh +sku:${edited} +price +70000 +71000 +since `, 'm'));
    expect(shown).toMatch(/\n2 differences\n$/);
    expect(await connector.run('drift list --kind missing-product --store store-1wh')).toMatchObject({
      stdout: expect.stringMatching(new RegExp(`sku:${removed} .*\n1 missing product\n$`)),
    });
    expect(await connector.run('drift list --kind unknown-product --store store-1wh')).toMatchObject({
      stdout: expect.stringMatching(
        new RegExp(`${skuOf(FEW_PRODUCTS)} .*\n(.*\n)*${FEW_PRODUCTS - 3} unknown product\n$`),
      ),
    });

    expect(await connector.run(`drift repair --store ${smallStore}`)).toMatchObject({ exitCode: 2 });
    expect(await connector.run(`drift repair ${removed} --store ${smallStore} --yes`)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`NO_DIFFERENCE: no open difference of sku:${removed} in ${smallStore}`),
    });
    expect(await connector.run(`drift repair ${edited} --store ${smallStore}`)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(`1 product (sku:${edited}: price) of ${smallStore} again?`),
    });
    expect(await connector.run(`drift repair ${edited} --store ${smallStore} --yes`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(new RegExp(`sku:${edited} +price\n$`)),
    });
    const isRepaired = (sku: string) =>
      until(
        `the price of ${sku}`,
        async () => {
          await run.local.triggerSchedule('LaneWaker');
          return (await livePrice(smallStore, sku)) === 70_000;
        },
        WITHIN,
      );
    await isRepaired(edited);
    expect(await livePrice(smallStore, alsoEdited)).toBe(72_000);
    await verifyUntilOnly(alsoEdited);
    expect(await connector.json(`drift repair --all --store ${smallStore} --yes`)).toEqual({
      repaired: [`sku:${alsoEdited}`],
    });
    await isRepaired(alsoEdited);
    await verifyUntilOnly();
    expect(await connector.run(`drift repair --all --store ${smallStore} --yes`)).toMatchObject({
      exitCode: 0,
      stdout: `No difference in ${smallStore} is known.\n`,
    });
  });
});

describe('reconcile', () => {
  const numbers = Array.from({ length: 120 }, (_, index) => index + 4);
  const priceOf = (number: number) => simpleProduct(number).price;
  const different = skuOf(50);

  test('a file in which all is live ends with 0', async () => {
    await save('equal.csv', `sku,price\n${skuOf(4)},${priceOf(4)}\n`);
    expect(await connector.run(`reconcile equal.csv --store ${store}`)).toEqual({
      exitCode: 0,
      stdout: 'rows 1, equal 1, different 0, missing 0, unread 0, invalid 0, sent 0\n',
      stderr: '',
    });
  });

  test('a dry run of several lists shows what differs, and each line that cannot be compared', async () => {
    const lines = numbers.map((number) => `${skuOf(number)},${priceOf(number)},`);
    lines[46] = `${different},81000,5`;
    await save(
      'all.csv',
      ['sku,price,stock', ...lines, 'NO-SUCH,1,', `${skuOf(4)},many,`, `${skuOf(4)},-1,`, '"'].join('\n'),
    );
    const before = (await controls.requests()).requests.at(-1)?.sequence ?? 0;
    const command = `reconcile all.csv --store ${store} --out found.ndjson`;
    const { exitCode, stdout, stderr } = await connector.run(command);
    expect(exitCode).toBe(1);
    // One line for each list of up to 100 rows. A busy machine does not read all of them in the time of one call.
    expect(stderr).toMatch(
      /^(\d+ of 122: rows \d+, equal \d+, .*\n)+ROWS_NOT_COMPARED: 3 rows could not be compared\n$/,
    );
    expect(stdout).toMatch(new RegExp(`^48 +sku:${different} +price +81000 +${priceOf(50)}$`, 'm'));
    expect(stdout).toMatch(/^122 +sku:NO-SUCH +the marketplace has no such product$/m);
    expect(stdout).toMatch(/^123 .* CELL_INVALID: "many" is not a number$/m);
    expect(stdout).toMatch(/^124 .* price: /m);
    expect(stdout).toMatch(/^125 +ROW_NOT_CSV: /m);
    expect(stdout).toMatch(
      /\nrows 124, equal 119, different 1, missing 1, unread 0, invalid 3, sent 0\n2 differences in found.ndjson\n$/,
    );
    const saved = (await readFile(join(connector.folder, 'found.ndjson'), 'utf8')).trim().split('\n');
    expect(saved.map((line) => JSON.parse(line))).toEqual([
      { line: 48, target: `sku:${different}`, register: 'price', wanted: 81_000, live: priceOf(50) },
      { line: 48, target: `sku:${different}`, register: 'stock', wanted: 5, live: expect.any(Number) },
    ]);
    const { requests } = await controls.requests(before);
    expect(requests.filter(({ method, sequence }) => method !== 'GET' && sequence > before)).toEqual([]);
  });

  test('what differs is sent with --apply, after a question', async () => {
    await save('some.ndjson', [4, 50].map((number) => `{"sku":"${skuOf(number)}","price":82000}\n`).join(''));
    const command = `reconcile some.ndjson --store ${store}`;
    expect(await connector.run(command)).toMatchObject({
      exitCode: 6,
      stderr: 'DIFFERENCES_FOUND: 2 rows of the file are not live\nAdd --apply to send what differs.\n',
    });
    expect(await connector.run(`${command} --apply`)).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await connector.json(`${command} --apply --yes`)).toMatchObject({
      counts: { rows: 2, different: 2, sent: 2 },
      differences: [
        { line: 1, target: `sku:${skuOf(4)}`, register: 'price', wanted: 82_000, live: priceOf(4) },
        { line: 2 },
      ],
    });
    await until(
      'the prices',
      async () => {
        await run.local.triggerSchedule('LaneWaker');
        return (await livePrice(store, different)) === 82_000;
      },
      WITHIN,
    );
    expect(await connector.run(command)).toMatchObject({ exitCode: 0 });
  });

  test('a file that cannot be read, and a store that is not known, are named', async () => {
    await save('columns.csv', 'sku,cost\nA,1\n');
    await save('one.json', '{"items": [{"sku": "A", "price": 1}]}');
    expect(await connector.run(`reconcile columns.csv --store ${store}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/FILE_COLUMNS_UNKNOWN: .*"cost"\nThe columns are sku, .*, warehouses\./),
    });
    expect(await connector.run(`reconcile prices.xlsx --store ${store}`)).toMatchObject({ exitCode: 2 });
    expect(await connector.run('reconcile one.json --store no-such')).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('STORE_UNKNOWN'),
    });
  });
});
