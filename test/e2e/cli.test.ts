import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ndjsonCatalog, simpleProduct, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { createDemoProduct } from '../../local/run/demo-product.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';
import { readPage } from '../../tools/describe/pages/pages.ts';
import { examplesOf } from '../docs/examples.ts';
import { type ShellSession, startShell } from '../docs/shell-session.ts';
import { expectShown } from '../docs/shown-output.ts';
import { type AccountFacts, startDeployedAccount } from '../doubles/deployed-account.ts';
import { type CommandLine, commandLineScript, createCommandLine } from './support/command-line.ts';
import { importProducts } from './support/import-products.ts';
import { postSummary } from './support/signed-summary.ts';
import { waitByApi } from './support/wait-by-api.ts';

const store = 'store-0wh';
const sku = skuOf(1);

let run: ConnectorRun;
let controls: SandboxControls;
let connector: CommandLine;
let wait: ReturnType<typeof waitByApi>;

beforeAll(async () => {
  run = await startQuickRun();
  if (run.controls === undefined) throw new Error('the marketplace is no sandbox');
  controls = run.controls;
  connector = await createCommandLine(run);
  wait = waitByApi(run);
  await importProducts(run, store, 3);
  await importProducts(run, 'store-1wh', 1);
});

afterAll(async () => {
  await connector?.[Symbol.asyncDispose]();
  await run?.[Symbol.asyncDispose]();
});

const attention = async () => (await connector.json('status')).attention;

/** Runs the command that `status` names, without the program's name. */
const endBy = (command: string) => connector.run(`${command} --yes`);

describe('status', () => {
  test('has colours where they are asked for, and none in a pipe', async () => {
    const coloured = await connector.run('status', { environment: { FORCE_COLOR: '1' } });
    expect(coloured.stdout).toContain('\u001b[32mNothing needs you.');
    expect((await connector.run('status')).stdout).not.toContain('\u001b');
  });

  test('says that nothing needs a person, with the stores', async () => {
    const { exitCode, stdout } = await connector.run('status');
    expect({ exitCode, lines: stdout.trimEnd().split('\n') }).toEqual({
      exitCode: 0,
      lines: [
        expect.stringMatching(/marketplace/),
        'Nothing needs you.',
        '3 stores (3 connected) · open batches: 0 · rejections of 24 h: 0',
        expect.stringMatching(/^That was read at .* of 3 stores, 7 dead-letter queues, /),
      ],
    });
  });

  test('names the command that ends the suspension of a store', async () => {
    await controls.setStore('store-1wh', { blocked: true });
    await connector.json(`trigger stock.changed --store store-1wh --sku ${sku} --stock 1`);
    await wait.needs('store-suspended');
    const [suspended] = await attention();
    expect(suspended).toMatchObject({
      kind: 'store-suspended',
      command: 'stores rotate store-1wh --token-file -',
    });
    expect((await connector.run('status')).stdout).toContain('1 needs you: 1 store suspended');

    await controls.setStore('store-1wh', { blocked: false });
    expect(await endBy('stores resume store-1wh')).toEqual({
      exitCode: 0,
      stdout: 'store-1wh is connected\n',
      stderr: '',
    });
    expect(await attention()).toEqual([]);
  });
});

describe('the examples of docs/cli.md', () => {
  let shell: ShellSession;

  beforeAll(async () => {
    await createDemoProduct(run);
    shell = await startShell(connector.folder, {
      SANDBOX_PORT: new URL(run.marketplace.baseUrl).port,
      npm_lifecycle_event: 'connector',
    });
    await mkdir(join(connector.folder, '.local'));
    const outputs = JSON.stringify({ MarketplaceConnector: run.local.outputs });
    await writeFile(join(connector.folder, '.local', 'outputs.json'), outputs);
  });

  afterAll(() => shell?.[Symbol.asyncDispose]());

  test.each(examplesOf(readPage('docs/cli.md').text))(
    'line $line gives what the page shows',
    async (example) => {
      const program = `'${process.execPath}' '${commandLineScript}'`;
      const { exitCode, printed, errors } = await shell.run(
        example.code.replaceAll('npm run -s connector --', program),
      );
      expect({ exitCode, errors: errors.replace(/^event \S+\n/, '') }).toEqual({ exitCode: 0, errors: '' });
      if (example.output !== undefined) expectShown(printed, example.output);
    },
  );
});

/** Has a time of its own, as an event's own time has whole seconds: two values of one second have no order that the test knows. */
const putStock = (storeClientId: string, stock: number) =>
  run.partner.putEvents([
    {
      detailType: 'stock.changed',
      detail: { storeClientId, occurredAt: new Date().toISOString(), items: [{ sku, stock }] },
    },
  ]);

describe('trigger and trace', () => {
  test('an event is followed to its end, and a SKU is found by one command', async () => {
    const sent = await connector.run(`trigger stock.changed --store ${store} --sku ${sku} --stock 42 --wait`);
    expect(sent).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`sku:${sku} stock = 42`) });
    expect(sent.stdout).toContain('accepted');

    const [trace] = await connector.json(`trace ${sku} --live`);
    expect(trace.subject).toEqual({ target: `sku:${sku}`, storeClientId: store });
    expect(trace.steps).toContainEqual(
      expect.objectContaining({ what: 'value.live', register: 'stock', value: 42 }),
    );
    const shown = (await connector.run(`trace ${sku} --store ${store}`)).stdout.trimEnd().split('\n');
    expect(shown[0]).toBe(`target sku:${sku}, storeClientId ${store}`);
    expect(shown.length).toBe(trace.steps.length + 2);
  });

  test('a detail from standard input is put as it is; one that is rejected ends with exit code 1', async () => {
    const input = JSON.stringify({ storeClientId: store, items: [{ sku: 'NO-SUCH', stock: 1 }] });
    const { exitCode, stdout, stderr } = await connector.run('trigger stock.changed --detail - --wait', {
      input,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('EVENT_FAILED') });
    expect(stdout).toContain('INV_001');
  });

  test('a detail that breaks its schema is not put, and the field is named', async () => {
    const { exitCode, stderr } = await connector.run(
      `trigger price.changed --store ${store} --sku A --price -1`,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('items.0.price') });
  });

  test.each([
    ['an ID', 'no-such'],
    ['a SKU that is longer than an ID may be', 'A'.repeat(300)],
  ])('%s that nothing is known of is an error with a code', async (_, id) => {
    const { exitCode, stderr } = await connector.run(`trace ${id} --json`);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'TRACE_UNKNOWN' } });
  });
});

describe('listen', () => {
  test('prints the events of a store as they happen, and leaves no queue behind', async () => {
    let hasEnded = false;
    const listening = connector.run('listen --store store-1wh --count 1 --json').finally(() => {
      hasEnded = true;
    });
    await until('an event of the store', async () => {
      for (const storeClientId of ['store-2wh', 'store-1wh']) await putStock(storeClientId, 1);
      return hasEnded;
    });
    const { exitCode, stdout } = await listening;
    expect({ exitCode, event: JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      event: { 'detail-type': expect.any(String), detail: { storeClientId: 'store-1wh' } },
    });
    const { endpoint, region, adminCredentials: credentials } = run.local;
    const queues = new SQSClient({ endpoint, region, credentials });
    const { QueueUrls = [] } = await queues.send(new ListQueuesCommand({}));
    queues.destroy();
    expect(QueueUrls.filter((url) => url.includes('connector-listen'))).toEqual([]);
  });

  test('prints each request to the marketplace and its answer with --requests', async () => {
    const sandbox = run.marketplace.baseUrl;
    let hasEnded = false;
    const command = `listen --store store-1wh --requests --sandbox ${sandbox} --count 20 --json`;
    const listening = connector.run(command).finally(() => {
      hasEnded = true;
    });
    const count = async () => (await run.controls?.requests())?.requests.length ?? 0;
    for (let stock = 100; !hasEnded; stock += 1) {
      const before = await count();
      await putStock('store-1wh', stock);
      // One by one, so that the command does not see events only.
      await until('the request', async () => hasEnded || (await count()) > before);
    }
    const { exitCode, stdout } = await listening;
    const seen: { what?: string; 'detail-type'?: string; request?: { path: string; status: number } }[] =
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect({ exitCode, lines: seen.length }).toEqual({ exitCode: 0, lines: 20 });
    expect(seen).toContainEqual(expect.objectContaining({ 'detail-type': 'stock.changed' }));
    for (const what of ['request', 'answer'])
      expect(seen).toContainEqual(
        expect.objectContaining({
          what,
          request: expect.objectContaining({ path: '/partner/stores/inventory' }),
        }),
      );
  });
});

describe('dlq', () => {
  test('a dead letter is seen, understood and redriven in three commands', async () => {
    const { endpoint, region, adminCredentials: credentials, outputs } = run.local;
    const queues = new SQSClient({ endpoint, region, credentials });
    const name = outputs.ChangesDeadLettersArn?.split(':').at(-1);
    const detail = { storeClientId: store, items: [{ sku, stock: 17 }] };
    const MessageBody = JSON.stringify({ id: 'dead-1', 'detail-type': 'stock.changed', detail });
    await queues.send(new SendMessageCommand({ QueueUrl: `${endpoint}/000000000000/${name}`, MessageBody }));
    queues.destroy();

    const [seen] = await attention();
    expect(seen).toMatchObject({ kind: 'dead-letters', command: `dlq show ${name}` });
    const shown = await connector.json(seen.command);
    expect(shown).toMatchObject({
      queue: name,
      messages: 1,
      letters: [{ detailType: 'stock.changed', storeClientId: store, eventId: 'dead-1', body: { detail } }],
    });
    expect(await connector.run('dlq redrive --dry-run')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Would move about 1 message'),
    });
    expect(await connector.run('dlq redrive')).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringContaining('Add --yes'),
    });
    expect(await connector.json('dlq list')).toMatchObject([{ topic: 'Changes', messages: 1 }]);

    expect(await connector.json('dlq redrive Changes --yes')).toMatchObject({
      moved: 1,
      status: 'COMPLETED',
    });
    expect(await connector.run('dlq list')).toMatchObject({
      stdout: expect.stringContaining('No dead letters'),
    });
    await until('the stock of the dead letter', async () => {
      const { products } = await controls.products(store);
      return products.find((product) => product.sku === sku)?.stock === 17;
    });
  });

  test('a dead letter that can never be processed is deleted, and its trace has the reason', async () => {
    const { endpoint, region, adminCredentials: credentials, outputs } = run.local;
    const queues = new SQSClient({ endpoint, region, credentials });
    const name = outputs.ChangesDeadLettersArn?.split(':').at(-1);
    const detail = { storeClientId: store, items: [{ sku: 'POISON-1', stock: 1 }] };
    const MessageBody = JSON.stringify({ id: 'dead-2', 'detail-type': 'stock.changed', detail });
    await queues.send(new SendMessageCommand({ QueueUrl: `${endpoint}/000000000000/${name}`, MessageBody }));
    queues.destroy();
    const { letters } = await connector.json('dlq show Changes');
    const [{ messageId }] = letters;
    const deletion = `dlq delete Changes --message ${messageId} --reason sent-by-a-test`;
    expect(await connector.json(`${deletion} --yes`)).toMatchObject({ deleted: [messageId] });
    expect((await attention()).filter(({ kind }: { kind: string }) => kind === 'dead-letters')).toEqual([]);
    for (const id of ['dead-2', 'POISON-1'])
      expect((await connector.run(`trace ${id}`)).stdout).toMatch(/DEAD_LETTER_DELETED.*sent-by-a-test/);
    expect(await connector.run(`${deletion} --yes`)).toMatchObject({ exitCode: 1 });
  });

  test('a queue that is not there is refused, with those that are', async () => {
    const { exitCode, stderr } = await connector.run('dlq show Nothing');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(/Name one of: .*Changes/),
    });
  });
});

describe('batches', () => {
  test('a batch is listed, shown with its rejected rows, and its failed rows are saved', async () => {
    const input = JSON.stringify({ products: [{ ...simpleProduct(1), name: 'Taken already' }] });
    const sync = `trigger catalog.sync.requested --store ${store} --detail - --wait`;
    expect(await connector.run(sync, { input })).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('PRD_002'),
    });
    const [batch] = await connector.json(`batches list --kind catalog-sync --store ${store} --limit 1`);
    expect(batch.rows).toMatchObject({ rejected: 1 });
    const listed = (await connector.run('batches list')).stdout.split('\n');
    expect(listed.find((line) => line.includes(batch.batchId))).toContain('0/1 accepted, 1 rejected');

    const shown = await connector.run(`batches show ${batch.batchId}`);
    expect(shown.stdout).toContain('0/1 accepted, 1 rejected');
    const saved = await connector.json(`batches rejects ${batch.batchId} --out rejects.ndjson`);
    expect(saved).toEqual({ file: 'rejects.ndjson', rows: 1 });
    const [row] = (await readFile(join(connector.folder, 'rejects.ndjson'), 'utf8')).trim().split('\n');
    expect(JSON.parse(row ?? '')).toMatchObject({ sku, _rejection: { rowIndex: 0 } });

    expect(await connector.json(`batches retry ${batch.batchId} --failed --yes`)).toMatchObject({ rows: 1 });
    expect(await connector.run(`batches read-back ${batch.batchId} --yes`)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('BATCH_ENDED'),
    });
    expect(await connector.run(`batches resolve ${batch.batchId} --rest accepted --yes`)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('BATCH_ENDED'),
    });
  });
});

describe('stores', () => {
  test('a token from standard input is given to a store, and a wrong one is refused', async () => {
    const rotate = (token: string) =>
      connector.run('stores rotate store-2wh --token-file - --yes', { input: token });
    expect(await rotate('token-store-2wh\n')).toMatchObject({
      exitCode: 0,
      stdout: 'store-2wh is connected\n',
    });
    expect(await rotate('wrong')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('STORE_REFUSED'),
    });
  });

  test('stores are listed, onboarded, released, discarded and unbound', async () => {
    const { onboardUrl, sid } = await connector.json('stores connect');
    expect(onboardUrl).toContain(run.marketplace.baseUrl);
    const { location } = await controls.completeOnboarding(sid, 'store-cli');
    await fetch(location);
    await wait.exists('/stores/store-cli');
    const stores: { storeClientId: string }[] = await connector.json('stores list');
    expect(stores.map(({ storeClientId }) => storeClientId)).toContain('store-cli');
    expect(await connector.json('stores release store-cli --yes')).toMatchObject({ released: true });
    expect(await connector.json('stores discard store-cli --everything --yes')).toMatchObject({
      discarded: 0,
    });
    expect(await connector.json('stores unbind store-cli --yes')).toMatchObject({ state: 'unbound' });
  });
});

describe('files that cannot be read or written', () => {
  test.each([
    [`batches list --store ${store} --json --outputs no-such.json`, 'no local run'],
    [
      'stores rotate store-2wh --token-file no-such --yes',
      'cannot read no-such: there is no such file or folder',
    ],
    [
      'sandbox webhook --to http://127.0.0.1:1 --secret-file no-such',
      'cannot read no-such: there is no such file or folder',
    ],
    [`import no-such.csv --store ${store}`, 'cannot read no-such.csv: there is no such file or folder'],
  ])('%s names the file', async (command, message) => {
    expect(await connector.run(command)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(message),
    });
  });
});

describe('orders and documents', () => {
  test('an order of unknown outcome is found, and resolved by the command that status names', async () => {
    const { orderId } = await controls.createOrder({ storeClientId: store, subStatus: 'pending' });
    await controls.addFault({ path: '/partner/stores/orders/decisions', fault: { drop: 'after' } });
    await connector.json(
      `trigger order.decision.requested --store ${store} --order ${orderId} --decision accept`,
    );
    await wait.needs('order-unknown');
    const [unknown] = await connector.json(`orders unknown --store ${store}`);
    expect(unknown).toMatchObject({ orderId, decision: { state: 'unknown' } });
    const { command } = (await attention()).find(({ kind }: { kind: string }) => kind === 'order-unknown');
    expect(command).toBe(`orders resolve ${orderId} --store ${store} --action decision`);
    const { stdout } = await connector.run(command);
    for (const outcome of ['accepted', 'rejected', 'retry']) expect(stdout).toContain(`--outcome ${outcome}`);
    expect(await endBy(`${command} --outcome accepted --reason seen`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('accepted'),
    });
    expect(await connector.json(`orders list ${orderId} --store ${store}`)).toMatchObject({
      decision: { state: 'accepted' },
    });
    expect(
      await connector.run(`orders retry ${orderId} --store ${store} --action decision --yes`),
    ).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('ORDER_NOT_UNKNOWN'),
    });
  });

  test('a label is saved as a PDF', async () => {
    const { orderId } = await controls.createOrder({ storeClientId: store, subStatus: 'confirmed' });
    const { size } = await connector.json(`label ${orderId} --store ${store} --out label.pdf`);
    const content = await readFile(join(connector.folder, 'label.pdf'));
    expect([content.subarray(0, 5).toString(), content.length]).toEqual(['%PDF-', size]);
  });

  test('an order is erased with its label, once', async () => {
    const { orderId } = await controls.createOrder({ storeClientId: store, subStatus: 'confirmed' });
    await connector.json(`label ${orderId} --store ${store} --out erased.pdf`);
    const erase = `orders erase ${orderId} --store ${store} --yes`;
    expect((await connector.json(erase)).erased).toEqual({
      documents: [expect.stringContaining(`/${orderId}/shipping-label.pdf`)],
      records: [`orderId:${orderId}`],
      rejections: [],
    });
    const { exitCode, stdout } = await connector.run(erase);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('nothing was found under this name'),
    });
    expect(stdout).toContain('left in the document bucket');
    expect(await connector.run(`orders list ${orderId} --store ${store}`)).toMatchObject({ exitCode: 1 });
  });
});

describe('import', () => {
  test('a file is imported to its end, and its rejected rows are saved', async () => {
    const lines = [simpleProduct(20), simpleProduct(21), { ...simpleProduct(1), name: 'Taken already' }];
    const file = join(connector.folder, 'products.ndjson');
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const command = `import ${file} --store ${store} --watch --rejects rejected.ndjson`;
    const { exitCode, stdout, stderr } = await connector.run(command);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('IMPORT_FAILED: the import ended as completed_with_errors');
    expect(stdout).toContain('read 3, sent 3, accepted 2, rejected 1, open 0');
    expect(stdout).toMatch(/^PRD_002 +1$/m);
    const rejected = await readFile(join(connector.folder, 'rejected.ndjson'), 'utf8');
    expect(JSON.parse(rejected)).toMatchObject({ name: 'Taken already', _rejection: { code: 'PRD_002' } });

    const [{ importId, state }] = await connector.json(`imports list --store ${store} --limit 1`);
    expect(state).toBe('completed_with_errors');
    const line = new RegExp(
      `^${importId} .* read 3, sent 3, accepted 2, rejected 1, open 0 +catalog/.*$`,
      'm',
    );
    expect((await connector.run(`imports list --store ${store}`)).stdout).toMatch(line);
    expect((await connector.run(`imports show ${importId}`)).stdout).toBe(
      stdout.replace('1 rejected row in rejected.ndjson\n', ''),
    );
  });

  test('a dry run of a file of stock sends nothing, and its rejected rows are saved', async () => {
    const file = join(connector.folder, 'stock.csv');
    await writeFile(file, `sku,stock\n${skuOf(2)},77\n${skuOf(3)},many\n`);
    const command = `import ${file} --kind stock --store ${store} --dry-run --watch --rejects dry.ndjson`;
    const { exitCode, stdout } = await connector.run(command);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('read 2, sent 0, accepted 1, rejected 1, open 0');
    expect(stdout).toMatch(/^report +reports\/dry-run\/stock\//m);
    const rejected = await readFile(join(connector.folder, 'dry.ndjson'), 'utf8');
    expect(JSON.parse(rejected)).toMatchObject({
      sku: skuOf(3),
      stock: 'many',
      _rejection: { code: 'CELL_INVALID', field: 'stock', number: 3 },
    });
  });

  test('a file is read by its --decimal, --thousands and --encoding, and found by its name', async () => {
    const file = join(connector.folder, 'harga.csv');
    const content = `sku,price\n${skuOf(2)},"12.500,5"\nCAFÉ-1,1.000\n`;
    await writeFile(file, Buffer.from(content, 'latin1'));
    const command = `import ${file} --kind prices --store ${store} --encoding windows-1252 --decimal , --thousands . --watch`;
    const { exitCode, stdout } = await connector.run(command);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('accepted 1, rejected 1, open 0');
    expect(stdout).toMatch(/^3 +CAFÉ-1 +[A-Z]+_\d+: /m);
    await until('the price', async () => {
      const { products = [] } = (await controls.products(store)) ?? {};
      return products.find((product) => product.sku === skuOf(2))?.price === 12_500.5;
    });
    expect(await connector.json('imports show harga.csv')).toMatchObject({ rows: { accepted: 1 } });
    const [line = ''] = (await connector.run('imports rejects harga.csv')).stdout.trim().split('\n');
    expect(JSON.parse(line)).toMatchObject({ sku: 'CAFÉ-1', price: 1_000 });
  });

  test('a file with a product that the marketplace does not have ends with 1, and its row is saved', async () => {
    const file = join(connector.folder, 'unknown.csv');
    await writeFile(file, `sku,stock\n${skuOf(2)},78\nNO-SUCH,7\n`);
    const command = `import ${file} --kind stock --store ${store} --watch --rejects unknown.ndjson`;
    const { exitCode, stdout } = await connector.run(command);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^INV_001 +1$/m);
    const rejected = await readFile(join(connector.folder, 'unknown.ndjson'), 'utf8');
    expect(JSON.parse(rejected)).toMatchObject({
      sku: 'NO-SUCH',
      _rejection: { code: 'INV_001', number: 3, text: 'NO-SUCH,7' },
    });
  });

  test('a full file that names too little is held, and ended by the command that status names', async () => {
    const all = join(connector.folder, 'all.csv');
    const few = join(connector.folder, 'few.csv');
    const rows = Array.from({ length: 10 }, (_, index) => `${skuOf(index + 1)},${index + 1}\n`);
    await writeFile(all, `sku,stock\n${rows.join('')}`);
    await writeFile(few, `sku,stock\n${rows[0]}`);
    const products = join(connector.folder, 'products-2wh.ndjson');
    await writeFile(products, ndjsonCatalog(10));
    expect(await connector.run(`import ${products} --store store-2wh --watch`)).toMatchObject({
      exitCode: 0,
    });
    const command = (file: string) => `import ${file} --kind stock --store store-2wh --watch`;
    expect(await connector.run(command(all))).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await connector.run(`${command(few)} --full`);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^held +the file does not name \d+ of the \d+ listings/m);
    const [held] = await attention();
    expect(held).toMatchObject({
      kind: 'import-held',
      command: expect.stringMatching(/imports release \w+$/),
    });
    expect(await endBy(held.command)).toMatchObject({ exitCode: 0 });
    await wait.nothingNeeds();
    expect(await attention()).toEqual([]);
  });

  test('a file of another format is refused before it is put', async () => {
    expect(await connector.run(`import products.xlsx --store ${store}`)).toMatchObject({ exitCode: 2 });
  });
});

describe('webhooks', () => {
  test('a summary that no batch has is listed and discarded', async () => {
    const batchId = 'no-batch-of-this-stack';
    const secret = run.marketplace.partnerSecretKey;
    expect(await postSummary(run.local, { batchId, storeClientId: store, secret })).toBeLessThan(300);
    await wait.needs('summary-unmatched');
    const unmatched: { batchId: string }[] = await connector.json('webhooks unmatched');
    expect(unmatched.map((one) => one.batchId)).toEqual([batchId]);
    const waiting = await attention();
    expect(waiting).toContainEqual(expect.objectContaining({ command: `webhooks discard ${batchId}` }));
    expect(await connector.run(`webhooks discard ${batchId} --yes`)).toMatchObject({ exitCode: 0 });
    expect(await connector.json('webhooks unmatched')).toEqual([]);
  });
});

describe('webhooks redeliver', () => {
  const batchId = 'received-long-ago';
  const webhook = [
    'POST /webhooks/marketplace HTTP/1.1',
    'X-Partner-Client-Id: sandbox-partner',
    'x-timestamp: 1700000000000',
    '',
    JSON.stringify({
      event: 'catalog.sync.completed',
      batchId,
      storeClientId: store,
      summary: { total: 1, failed: 0, pending: 0 },
      acceptedRows: [{ rowIndex: 0 }],
      errors: [],
    }),
  ].join('\r\n');
  const redeliver = async (secret: string, options = '--yes') => {
    await writeFile(join(connector.folder, 'webhook.http'), webhook);
    await writeFile(join(connector.folder, 'secret.txt'), `${secret}\n`);
    return connector.run(`webhooks redeliver webhook.http --secret-file secret.txt ${options}`.trim());
  };
  const unmatched = async () => {
    const summaries: { batchId: string }[] = await connector.json('webhooks unmatched');
    return summaries.filter((one) => one.batchId === batchId).length;
  };

  test('sends a received webhook again, which the stack takes once', async () => {
    const secret = run.marketplace.partnerSecretKey;
    expect(await redeliver(secret, '')).toMatchObject({ exitCode: 3 });
    expect(await redeliver(secret)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^taken \(status 2\d\d\)/),
    });
    await until('the summary', async () => (await unmatched()) === 1);
    expect(await redeliver(secret)).toMatchObject({ exitCode: 0 });
    await run.local.idle();
    expect(await unmatched()).toBe(1);
    await connector.run(`webhooks discard ${batchId} --yes`);
  });

  test('is refused with another secret', async () => {
    expect(await redeliver('another')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('WEBHOOK_REFUSED: the stack refused it with status 401'),
    });
  });
});

describe('doctor', () => {
  const states = async (given?: { exitCode: number }) => {
    const { exitCode, stdout } = await connector.run('doctor --json');
    expect(exitCode).toBe(given?.exitCode ?? 0);
    const findings: { check: string; state: string }[] = JSON.parse(stdout);
    return Object.fromEntries(findings.map(({ check, state }) => [check, state]));
  };
  const healthy = {
    ports: 'ok',
    reachable: 'ok',
    clock: 'ok',
    credentials: 'ok',
    queues: 'ok',
    secret: 'ok',
    marketplace: 'ok',
    webhook: 'ok',
  };

  test('finds nothing wrong in a running stack', async () => {
    expect(await states()).toEqual(healthy);
  });

  test('finds that the marketplace does not answer', async () => {
    await controls.addFault({ path: '/partner/stores/warehouses', times: 10, fault: { status: 503 } });
    expect(await states({ exitCode: 1 })).toEqual({ ...healthy, marketplace: 'fault' });
    await controls.clearFaults();
  });
});

describe('a deployment', () => {
  const topic = 'arn:aws:sns:us-east-1:000000000000:alarms';
  const accountWith = (facts: Partial<AccountFacts>) =>
    startDeployedAccount({
      endpoint: new URL(run.local.outputs.ChangesQueueUrl ?? '').origin,
      stacks: {
        CDKToolkit: { BootstrapVersion: '21' },
        Shop: { ...run.local.outputs, AlarmTopicArn: topic },
      },
      subscriptions: [`${topic}:1`],
      concurrency: 1000,
      ...facts,
    });
  const findings = async (command: string, facts: Partial<AccountFacts> = {}) => {
    await using account = await accountWith(facts);
    const { exitCode, stdout } = await connector.run(command, { environment: account.environment });
    const found: { check: string; state: string; hint?: string }[] = JSON.parse(stdout);
    const states = Object.fromEntries(found.map(({ check, state }) => [check, state]));
    return { exitCode, states, hints: found.flatMap(({ hint = [] }) => hint) };
  };
  const verified = {
    reachable: 'ok',
    clock: 'ok',
    credentials: 'ok',
    queues: 'ok',
    quotas: 'ok',
    secret: 'ok',
    marketplace: 'ok',
    webhook: 'ok',
    'signed webhook': 'ok',
    event: 'ok',
    alarms: 'ok',
  };

  test('that works is verified from end to end, and its self-test leaves no summary behind', async () => {
    const before = await connector.json('webhooks unmatched');
    expect(await findings('verify --stack Shop --json --yes')).toEqual({
      exitCode: 0,
      states: verified,
      hints: [],
    });
    expect(await connector.json('webhooks unmatched')).toEqual(before);
  });

  test('whose alarms no one has confirmed is verified with what to do', async () => {
    const { exitCode, states, hints } = await findings('verify --stack Shop --json --yes', {
      subscriptions: ['PendingConfirmation'],
    });
    expect({ exitCode, states }).toEqual({ exitCode: 0, states: { ...verified, alarms: 'warning' } });
    expect(hints).toEqual([expect.stringContaining('Open the link')]);
  });

  test('is not verified without a confirmation, as a test event goes on its bus', async () => {
    await using account = await accountWith({});
    const { environment } = account;
    expect(await connector.run('verify --stack Shop', { environment })).toMatchObject({ exitCode: 3 });
  });

  const preflight = () => `preflight --stack Shop --marketplace-base-url ${run.marketplace.baseUrl} --json`;
  const prepared = {
    region: 'ok',
    credentials: 'ok',
    bootstrap: 'ok',
    quotas: 'ok',
    name: 'ok',
    marketplace: 'ok',
    clock: 'ok',
  };

  test('that can succeed is found so before it', async () => {
    expect(await findings(preflight())).toEqual({ exitCode: 0, states: prepared, hints: [] });
  });

  test('into a region that is not bootstrapped, or has few concurrent executions, is found with what to do', async () => {
    const { exitCode, states, hints } = await findings(preflight(), { stacks: {}, concurrency: 10 });
    expect({ exitCode, states }).toEqual({
      exitCode: 1,
      states: { ...prepared, bootstrap: 'fault', quotas: 'warning' },
    });
    expect(hints).toEqual([
      expect.stringContaining('npx cdk bootstrap'),
      expect.stringContaining('request-service-quota-increase'),
    ]);
  });
});

describe('sandbox', () => {
  test('an order is made, a fault is set and cleared, the clock is shifted, and all is reset', async () => {
    const sandbox = (args: string) => connector.json(`sandbox ${args} --url ${run.marketplace.baseUrl}`);
    const { orderId } = await sandbox(`order --store ${store} --status confirmed`);
    expect(await controls.order(orderId)).toMatchObject({ subStatus: 'confirmed' });
    expect(await sandbox('fault --path /nothing --status 503 --times 2')).toEqual({
      path: '/nothing',
      times: 2,
      fault: { status: 503 },
    });
    expect(await sandbox('fault --clear')).toEqual({ ok: true });
    expect(await sandbox('clock --offset 1000')).toEqual({ offsetMs: 1000 });
    expect(await sandbox('clock --offset 0')).toEqual({ offsetMs: 0 });
    expect(await sandbox(`webhook --to ${run.local.outputs.WebhookUrl} --for catalog`)).toMatchObject({
      for: 'catalog',
    });
    const reset = `sandbox reset --url ${run.marketplace.baseUrl}`;
    expect(await connector.run(reset)).toMatchObject({ exitCode: 3 });
    expect(await connector.run(`${reset} --yes`)).toMatchObject({ exitCode: 0 });
    await expect(controls.order(orderId)).rejects.toThrow('404');
  });
});

describe('the stack', () => {
  test('a deployed stack is found by CloudFormation, and called with the credentials of the environment', async () => {
    const outputs = Object.entries(run.local.outputs)
      .map(
        ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
      )
      .join('');
    const stack = `<StackName>Shop</StackName><CreationTime>2026-11-22T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus>`;
    const answer = `<DescribeStacksResponse><DescribeStacksResult><Stacks><member>${stack}<Outputs>${outputs}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
    await using cloudFormation = createServer((_, response) => {
      response.setHeader('content-type', 'text/xml').end(answer);
    }).listen(0, '127.0.0.1');
    await until('the server', () => cloudFormation.listening);
    const { port } = cloudFormation.address() as AddressInfo;
    const { accessKeyId, secretAccessKey } = run.local.adminCredentials;
    const environment = {
      AWS_ENDPOINT_URL: run.local.endpoint,
      AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    };

    const stores = await connector.json('stores list --stack Shop --region eu-west-1', { environment });
    expect(stores).toContainEqual(expect.objectContaining({ storeClientId: store }));
    const refused = await connector.run('stores list --stack Shop --region eu-west-1', {
      environment: { ...environment, AWS_SECRET_ACCESS_KEY: 'wrong' },
    });
    expect(refused).toMatchObject({ exitCode: 4, stdout: '', stderr: expect.stringMatching(/^FORBIDDEN: /) });
  });

  test('a stack that cannot be reached is an error of two lines, without a stack trace', async () => {
    const outputs = { ...run.local.outputs, ApiUrl: 'http://127.0.0.1:1' };
    await writeFile(join(connector.folder, 'gone.json'), JSON.stringify({ Gone: outputs }));
    const { exitCode, stdout, stderr } = await connector.run('stores list --outputs gone.json');
    expect({ exitCode, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({
      exitCode: 4,
      stdout: '',
      lines: 2,
    });
    expect(stderr).toMatch(/^UNREACHABLE: /);
  });
});
