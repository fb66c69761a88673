import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';
import { readPage } from '../../tools/describe/pages/pages.ts';
import { type EventExample, eventsIn } from '../docs/event-examples.ts';
import { examplesOf } from '../docs/examples.ts';
import { paste } from '../docs/pasted.ts';
import { type ShellSession, startShell } from '../docs/shell-session.ts';

const page = readPage('docs/events.md');

let run: ConnectorRun;
let controls: SandboxControls;

beforeAll(async () => {
  run = await startQuickRun();
  if (run.controls === undefined) throw new Error('the marketplace is no sandbox');
  controls = run.controls;
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

describe('the examples of docs/events.md', () => {
  /** What has to be there first comes first: products before their stock, a decision before its dropoff. */
  const inOrder = [
    'product.create.requested',
    'catalog.sync.requested',
    'stock.changed',
    'price.changed',
    'product.update.requested',
    'order.decision.requested',
    'order.dropoff.requested',
    'order.document.requested',
    'product.delete.requested',
  ];
  const examples = eventsIn(page.text).sort(
    (a, b) => inOrder.indexOf(a.detailType) - inOrder.indexOf(b.detailType),
  );
  /** IDs that the marketplace gives, by those of the page. */
  const ids = new Map<string, string>();

  beforeAll(async () => {
    const order = await controls.createOrder({ storeClientId: 'store-1wh', subStatus: 'pending' });
    ids.set('ff8ee0e6-7744-4ea6-afef-4ef40c2cac69', order.orderId);
    // The example with two warehouses names the same product in its own store.
    const creation = examples.find(({ detailType }) => detailType === 'product.create.requested');
    if (creation === undefined) throw new Error('the page creates no product');
    await put({ ...creation, detail: { ...creation.detail, storeClientId: 'store-2wh' } });
  });

  async function put({ detailType, detail }: Pick<EventExample, 'detailType' | 'detail'>) {
    const text = [...ids].reduce(
      (json, [shown, real]) => json.replaceAll(shown, real),
      JSON.stringify(detail),
    );
    await run.partner.putEvents([{ detailType, detail: JSON.parse(text) }]);
    await run.local.idle();
  }

  test.each(examples)('line $line, $detailType, succeeds', async (example) => {
    const last = (await controls.requests()).requests.at(-1)?.sequence ?? 0;
    await put(example);
    const { requests } = await controls.requests(last);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter(({ errorCode }) => errorCode !== null)).toEqual([]);
    const { storeClientId } = example.detail;
    expect((await run.partner.callApi('GET', `/stores/${storeClientId}/rejections`)).body.rejections).toEqual(
      [],
    );
    // The marketplace's final summary may come while the stack is idle.
    const states = await until('the ends of all batches', async () => {
      const { body } = await run.partner.callApi('GET', `/batches?storeClientId=${storeClientId}`);
      const found: string[] = body.batches.map(({ state }: { state: string }) => state);
      return !found.includes('submitted') && found;
    });
    expect(new Set(states)).toEqual(new Set(['completed']));
    const { products } = await controls.products('store-1wh');
    const product = products.find(({ sku }) => sku === 'SHIRT-1');
    if (product) ids.set('56d825bd-a869-4417-a9a0-241f58dee3b2', product.id);
  });

  test('left what they say at the marketplace', async () => {
    const { products } = await controls.products('store-1wh');
    expect(products.map(({ externalId }) => externalId.at(-1)).sort()).toEqual(['3', '4']);
    const order = await controls.order(ids.get('ff8ee0e6-7744-4ea6-afef-4ef40c2cac69') ?? '');
    expect(order).toMatchObject({ subStatus: 'waiting_drop_off', decisions: [{ decision: 'accept' }] });
  });
});

describe.runIf(hasAwsCli())('the commands of docs/events.md for the AWS CLI', () => {
  let folder: string;
  let shell: ShellSession;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'events-page-'));
    await mkdir(join(folder, '.local'));
    const outputs = { MarketplaceConnector: run.local.outputs };
    await writeFile(join(folder, '.local', 'outputs.json'), JSON.stringify(outputs));
    shell = await startShell(folder);
  });

  afterAll(async () => {
    await shell?.[Symbol.asyncDispose]();
    if (folder) await rm(folder, { recursive: true });
  });

  test.each(examplesOf(page.text))('line $line gives what the page shows', async (example) => {
    const code = example.code
      .replaceAll(/http:\/\/127\.0\.0\.1:4566\b/g, run.local.endpoint)
      .replaceAll(/http:\/\/127\.0\.0\.1:4567\b/g, run.local.apiUrl);
    await paste(shell, { ...example, code });
    await run.local.idle();
  });

  test('have the effect that the page says', async () => {
    const { products } = await controls.products('store-0wh');
    expect(products.find(({ sku }) => sku === 'SHIRT-11')).toMatchObject({ stock: 3, price: 240_000 });
  });
});

/** Whether there is an AWS CLI whose SQS speaks JSON, as the local one. */
function hasAwsCli(): boolean {
  try {
    const version = execFileSync('aws', ['--version'], { encoding: 'utf8' });
    const [, major, minor] = /aws-cli\/(\d+)\.(\d+)/.exec(version) ?? [];
    return Number(minor) >= (major === '1' ? 30 : 14);
  } catch {
    return false;
  }
}
