import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { simpleProduct, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';
import { contestPrice, settlePrices, verifyAll } from './drifting-listings.ts';

const store = 'store-0wh';
const drifting = 'store-1wh';

/** The screens of the console with something on each, by the name of their picture. */
export type FilledScreens = Readonly<Record<string, string>>;

/** Brings a fresh run into a state in which every screen of the console has something to show. */
export async function fillScreens(run: ConnectorRun): Promise<FilledScreens> {
  const { controls } = run;
  if (controls === undefined) throw new Error('the marketplace is no sandbox');
  await run.partner.putImportFile(`catalog/${store}/spring.ndjson`, ndjsonOf([1, 2, 3, 4, 5]));
  await until('the products', async () => (await controls.products(store)).products.length === 5);
  await run.partner.putImportFile(
    `catalog/${store}/corrections.ndjson`,
    `${ndjsonOf([6, 7])}${JSON.stringify({ ...simpleProduct(1), name: 'Taken already' })}\n`,
  );
  await run.partner.callApi('POST', `/stores/${store}/stock`, { items: [{ sku: skuOf(1), stock: 5 }] });
  await until('the stock', async () => {
    const { products } = await controls.products(store);
    return products.find(({ sku }) => sku === skuOf(1))?.stock === 5;
  });
  await until('the batch with a rejected row', async () => {
    const { body } = await run.partner.callApi('GET', '/batches?state=failed');
    const { body: some } = await run.partner.callApi('GET', '/batches?state=completed_with_errors');
    return [...body.batches, ...some.batches].length > 0;
  });
  const { orderId } = await decideWithoutAnswer(run, controls);
  await decideWithoutAnswer(run, controls);
  await controls.setStore('store-2wh', { blocked: true });
  await run.partner.callApi('POST', '/stores/store-2wh/products/bulk', { products: [simpleProduct(9)] });
  await fillDrift(run);
  await sendDeadLetter(run);
  await until('five entries that need a person', async () => {
    const { body } = await run.partner.callApi('GET', '/attention');
    return body.attention.length === 5;
  });
  const { body: rejected } = await run.partner.callApi('GET', `/batches?storeClientId=${store}`);
  const batch = rejected.batches.find(({ rows }: { rows: { rejected: number } }) => rows.rejected > 0);
  return {
    'needs-you': 'needs-you',
    flow: 'flow',
    find: `find/${skuOf(1)}`,
    stores: 'stores',
    batches: 'batches',
    batch: `batches/${batch.batchId}`,
    rejections: 'rejections',
    imports: `imports?storeClientId=${store}`,
    orders: `orders?store=${store}`,
    order: `orders/${orderId}?store=${store}`,
    drift: `drift?store=${drifting}`,
    'drift-overview': 'drift',
    'dead-letters': 'dead-letters/Changes',
    events: 'events',
    sandbox: 'sandbox',
  };
}

/** An order whose decision the marketplace takes, and whose answer is lost. */
async function decideWithoutAnswer({ partner }: ConnectorRun, controls: SandboxControls) {
  const order = await controls.createOrder({ storeClientId: store, subStatus: 'pending' });
  await controls.addFault({ path: '/partner/stores/orders/decisions', fault: { drop: 'after' } });
  const items = [{ orderId: order.orderId, decision: 'accept' }];
  await partner.callApi('POST', `/stores/${store}/orders/decisions`, { items });
  return order;
}

/** A contested price, and one that differs and is not repaired. */
async function fillDrift(run: ConnectorRun): Promise<void> {
  const [contested, edited] = [skuOf(1), skuOf(2)];
  await run.partner.putImportFile(`catalog/${drifting}/drifting.ndjson`, ndjsonOf([1, 2, 3]));
  await until('the products', async () => (await run.controls?.products(drifting))?.products.length === 3);
  await settlePrices(run, drifting, { [contested]: 99_000, [edited]: 59_000 });
  await contestPrice(run, drifting, { sku: contested, price: 99_000 });
  await run.partner.callApi('PUT', `/stores/${drifting}`, { repair: false });
  await run.controls?.editProduct(drifting, edited, { price: 45_000 });
  await verifyAll(run, drifting);
}

function ndjsonOf(numbers: readonly number[]): string {
  return numbers.map((number) => `${JSON.stringify(simpleProduct(number))}\n`).join('');
}

const DEAD_LETTER = { id: 'dead-1', detail: { storeClientId: store, items: [{ sku: skuOf(1), stock: 17 }] } };

/** Puts a stock change into the dead-letter queue of the changes, as SQS does after the last failed delivery. */
export async function sendDeadLetter({ local }: ConnectorRun, event: object = DEAD_LETTER): Promise<void> {
  const { endpoint, region, adminCredentials: credentials, outputs } = local;
  const queues = new SQSClient({ endpoint, region, credentials });
  const name = outputs.ChangesDeadLettersArn?.split(':').at(-1);
  const MessageBody = JSON.stringify({ 'detail-type': 'stock.changed', ...event });
  await queues.send(new SendMessageCommand({ QueueUrl: `${endpoint}/000000000000/${name}`, MessageBody }));
  queues.destroy();
}
