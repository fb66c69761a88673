import { ndjsonCatalog, simpleProduct, skuOf } from '../../../local/run/catalog.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import type { SandboxControls } from '../../../local/run/sandbox-controls.ts';
import { until } from '../../../local/run/until.ts';

/** The store in which all is well, one that gets suspended, and one for which the marketplace fails. */
export const WELL = 'store-0wh';
export const SUSPENDED = 'store-1wh';
export const FAILING = 'store-2wh';

const DECISIONS = '/partner/stores/orders/decisions';
const DROPOFFS = '/partner/stores/orders/dropoffs';
const STOCKS = '/partner/stores/inventory';
/** Of a product and an order that the marketplace does not have. */
const NO_PRODUCT = '90000000-0000-4000-8000-000000000403';
const NO_INVOICE = '90000000-0000-4000-8000-000000000405';
const UNAVAILABLE = { status: 503, code: 'SYS_DEP_503' };

/** The names and IDs of what was made, by a short name, as questions use them. */
export type Names = Readonly<Record<string, string>>;

const named = (number: number, sku: string) => ({ ...simpleProduct(number), sku });

/** Makes all situations of the questions on one run. What takes time goes on meanwhile. */
export async function makeSituations(run: ConnectorRun): Promise<Names> {
  const { controls, partner } = run;
  if (controls === undefined) throw new Error('the marketplace is no sandbox');
  const names: Record<string, string> = {};
  const send = async (name: string, detailType: string, detail: object, storeClientId = WELL) => {
    const [eventId = ''] = await partner.putEvents([{ detailType, detail: { storeClientId, ...detail } }]);
    names[name] = eventId;
    return eventId;
  };
  const making = { run, controls, names, send };
  await madeProducts(making);
  await saidOfProducts(making);
  await changedProducts(making);
  await saidOfOrders(making);
  await saidOfDropoffs(making);
  await heldPrices(making);
  await withSuspendedStore(making);
  await withFailingMarketplace(making);
  return names;
}

/** A command of each kind about products, orders and documents, each with its name in `commandId`. */
function eachCommand(
  end: string,
  orderId: string,
): readonly (readonly [detailType: string, detail: object])[] {
  const commandId = (name: string) => `${name}-${end}`;
  return [
    ['catalog.sync.requested', { commandId: commandId('sync'), products: [named(701, `SYNC-${end}`)] }],
    ['product.create.requested', { commandId: commandId('create'), products: [named(601, 'LATER-1')] }],
    [
      'product.update.requested',
      { commandId: commandId('update'), productId: NO_PRODUCT, changes: { name: 'Mug' } },
    ],
    ['product.delete.requested', { commandId: commandId('delete'), ids: [NO_PRODUCT] }],
    [
      'order.decision.requested',
      { commandId: commandId('accept'), items: [{ orderId, decision: 'accept' }] },
    ],
    ['order.dropoff.requested', { commandId: commandId('dropoff'), items: [{ orderId }] }],
    ['order.document.requested', { commandId: commandId('invoice'), orderId, document: 'invoice' }],
  ];
}

interface Making {
  readonly run: ConnectorRun;
  readonly controls: SandboxControls;
  readonly names: Record<string, string>;
  send(name: string, detailType: string, detail: object, storeClientId?: string): Promise<string>;
}

/** Products made by an event, by a route and by a file, and one that the marketplace refuses. */
async function madeProducts({ run, controls, names, send }: Making): Promise<void> {
  await send('creation', 'product.create.requested', {
    commandId: 'create-mug-1',
    products: [named(501, 'MUG-1')],
  });
  const { body } = await run.partner.callApi('POST', `/stores/${WELL}/products/bulk`, {
    products: [named(502, 'MUG-2')],
  });
  names.routeCommand = body.commandId;
  await run.partner.putImportFile(`catalog/${WELL}/autumn.ndjson`, ndjsonCatalog(3));
  await run.partner.putImportFile(
    `stock/${WELL}/faulty.csv`,
    `sku,stock\n${skuOf(1)},5\nBAD-FILE,minus one\n`,
  );
  await send('refusedCreation', 'catalog.sync.requested', {
    commandId: 'sync-broken',
    products: [{ ...named(503, 'BROKEN-1'), price: 'free' }],
  });
  await send('createBroken', 'product.create.requested', {
    commandId: 'create-broken',
    products: [{ ...named(505, 'BROKEN-2'), price: 'free' }],
  });
  await send('sync', 'catalog.sync.requested', {
    commandId: 'sync-plate',
    products: [named(504, 'PLATE-1'), named(506, 'DISH-1')],
  });
  await run.partner.putImportFile(`stock/${WELL}/wrong.csv`, 'article,amount\nMUG-1,5\n');
  await until('the products at the marketplace', async () => {
    const state = await controls.products(WELL);
    return state?.products.length === 7;
  });
  const shown = await controls.products(WELL);
  const idOf = (wanted: string) => shown?.products.find(({ sku }) => sku === wanted)?.id ?? '';
  names.productId = idOf('MUG-1');
  names.dish = idOf('DISH-1');
  // A read teaches the ID to the listing, which comes after the product.
  for (const sku of ['MUG-1', 'DISH-1'])
    await until(`the listing of ${sku}`, async () => {
      const path = `/stores/${WELL}/listings?target=sku:${sku}&refresh=true`;
      return (await run.partner.callApi('GET', path)).status === 200;
    });
}

/** Waits for the ends of commands: the faults of later situations must not meet them. */
const ended = (run: ConnectorRun, commandIds: readonly string[]) =>
  until(`the ends of ${commandIds.join(', ')}`, async () => {
    const traces = await Promise.all(
      commandIds.map((commandId) => run.partner.callApi('GET', `/trace?commandId=${commandId}`)),
    );
    return traces.every(({ body }) =>
      body.steps?.some(({ what }: { what: string }) => what === 'request.ended' || what === 'row.rejected'),
    );
  });

/** Products updated, deleted, and created for a second time: what the marketplace takes, and what it refuses. */
async function changedProducts({ run, names, send }: Making): Promise<void> {
  const taken = (name: string, sku: string) => ({ commandId: name, products: [named(502, sku)] });
  await send('syncTaken', 'catalog.sync.requested', taken('sync-taken', 'TAKEN-1'));
  await send('createTaken', 'product.create.requested', taken('create-taken', 'TAKEN-2'));
  const update = (commandId: string, productId = '') => ({
    commandId,
    productId,
    changes: { name: 'A mug' },
  });
  await send('update', 'product.update.requested', update('update-mug', names.productId));
  await send('updateBroken', 'product.update.requested', update('update-broken', 'no-uuid'));
  await send('updateNone', 'product.update.requested', update('update-none', NO_PRODUCT));
  const deletion = (commandId: string, id = '') => ({ commandId, ids: [id] });
  await send('deletion', 'product.delete.requested', deletion('delete-dish', names.dish));
  await send('deletionBroken', 'product.delete.requested', deletion('delete-broken', 'no-uuid'));
  await send('deletionNone', 'product.delete.requested', deletion('delete-none', NO_PRODUCT));
  await ended(run, ['sync-taken', 'create-taken', 'update-mug', 'update-none', 'delete-dish', 'delete-none']);
}

async function saidOfProducts({ run, names, send }: Making): Promise<void> {
  const now = Date.now();
  await send('stock', 'stock.changed', { items: [{ sku: skuOf(1), stock: 41 }] });
  await send('price', 'price.changed', { items: [{ sku: skuOf(1), price: 12_500 }] });
  await send('newer', 'stock.changed', { occurredAt: now, items: [{ sku: skuOf(2), stock: 7 }] });
  await until('the newer stock', async () => {
    const { status } = await run.partner.callApi(
      'GET',
      `/trace?target=sku:${skuOf(2)}&storeClientId=${WELL}`,
    );
    return status === 200;
  });
  await send('older', 'stock.changed', { occurredAt: now - 5_000, items: [{ sku: skuOf(2), stock: 8 }] });
  await send('unknownProduct', 'stock.changed', { items: [{ sku: 'NO-SUCH', stock: 1 }] });
  await send('unknownPriced', 'price.changed', { items: [{ sku: 'NO-SUCH-PRICE', price: 9_000 }] });
  await send('newerPrice', 'price.changed', { occurredAt: now, items: [{ sku: skuOf(3), price: 10_000 }] });
  await until('the prices', async () => {
    const { body } = await run.partner.callApi('GET', `/batches?kind=price&storeClientId=${WELL}`);
    const accepted = body.batches.map(({ rows }: { rows: { accepted: number } }) => rows.accepted);
    return accepted.reduce((sum: number, count: number) => sum + count, 0) >= 2;
  });
  await send('olderPrice', 'price.changed', {
    occurredAt: now - 5_000,
    items: [{ sku: skuOf(3), price: 9_900 }],
  });
  names.stockRequest = await until('the request of a batch of stock', async () => {
    const { body } = await run.partner.callApi('GET', `/batches?kind=stock&storeClientId=${WELL}`);
    return body.batches[0]?.requestId as string | undefined;
  });
  await send('negative', 'price.changed', { items: [{ sku: 'MUG-2', price: -1 }] });
  await send('unknownType', 'stock.vanished', { items: [] });
  await send('future', 'stock.changed', {
    occurredAt: now + 3_600_000,
    items: [{ sku: 'MUG-2', stock: 5 }],
  });
}

async function saidOfOrders({ run, controls, names, send }: Making): Promise<void> {
  const make = async (subStatus: string) => controls.createOrder({ storeClientId: WELL, subStatus });
  const ended = (orderId: string, state: string) =>
    until(`the decision of ${orderId} is ${state}`, async () => {
      const { body } = await run.partner.callApi('GET', `/stores/${WELL}/orders?orderId=${orderId}`);
      return body.decision?.state === state;
    });
  const accepted = await make('pending');
  names.accepted = accepted.orderId;
  await send('acceptance', 'order.decision.requested', {
    commandId: 'accept-1',
    items: [{ orderId: accepted.orderId, decision: 'accept' }],
  });
  await ended(accepted.orderId, 'accepted');
  await send('second', 'order.decision.requested', {
    commandId: 'reject-1',
    items: [{ orderId: accepted.orderId, decision: 'reject', reasonCode: '1', reason: 'out of stock' }],
  });
  const rejected = await make('pending');
  names.rejected = rejected.orderId;
  await send('rejection', 'order.decision.requested', {
    items: [{ orderId: rejected.orderId, decision: 'reject', reasonCode: '1', reason: 'out of stock' }],
  });
  await ended(rejected.orderId, 'accepted');
  names.noOrder = '90000000-0000-4000-8000-000000000404';
  await send('noOrderDecision', 'order.decision.requested', {
    items: [{ orderId: names.noOrder, decision: 'accept' }],
  });
  // Before the next ones, whose requests meet faults.
  await until('the decision of no order', async () => {
    const { body } = await run.partner.callApi('GET', `/stores/${WELL}/orders?orderId=${names.noOrder}`);
    return body.decision?.endedAt !== undefined;
  });
  const tried = await make('pending');
  names.tried = tried.orderId;
  await controls.addFault({ path: DECISIONS, fault: { status: 503, code: 'SYS_DEP_503' } });
  await send('triedTwice', 'order.decision.requested', {
    items: [{ orderId: tried.orderId, decision: 'accept' }],
  });
  await ended(tried.orderId, 'accepted');
  for (const name of ['unknown', 'resolved']) {
    const { orderId } = await make('pending');
    names[name] = orderId;
    await controls.addFault({ path: DECISIONS, fault: { drop: 'after' } });
    await send(`${name}Decision`, 'order.decision.requested', {
      items: [{ orderId, decision: 'accept' }],
    });
    await ended(orderId, 'unknown');
  }
  await run.partner.callApi('POST', `/stores/${WELL}/orders/resolve`, {
    orderId: names.resolved,
    action: 'decision',
    outcome: 'accepted',
    reason: 'seen in the seller panel',
  });
  const label = await make('pending');
  names.label = label.orderId;
  await send('labelOfNothing', 'order.document.requested', { orderId: NO_INVOICE, document: 'invoice' });
}

async function saidOfDropoffs({ run, controls, names, send }: Making): Promise<void> {
  const make = async (subStatus: string) =>
    (await controls.createOrder({ storeClientId: WELL, subStatus })).orderId;
  const isUnknown = (orderId: string) =>
    until(`the unknown dropoff of ${orderId}`, async () => {
      const { body } = await run.partner.callApi('GET', `/stores/${WELL}/orders?orderId=${orderId}`);
      return body.dropoff?.state === 'unknown';
    });
  for (const name of ['unknownDropoff', 'resolvedDropoff']) {
    const orderId = await make('confirmed');
    names[name] = orderId;
    await controls.addFault({ path: DROPOFFS, fault: { drop: 'after' } });
    await send(`${name}Request`, 'order.dropoff.requested', { items: [{ orderId }] });
    await isUnknown(orderId);
  }
  await run.partner.callApi('POST', `/stores/${WELL}/orders/resolve`, {
    orderId: names.resolvedDropoff,
    action: 'dropoff',
    outcome: 'refused',
    reason: 'not in the panel',
  });
  const dropoff = (commandId: string, item: object) => ({ commandId, items: [item] });
  const type = 'order.dropoff.requested';
  await send('dropoff', type, dropoff('dropoff-1', { orderId: await make('confirmed') }));
  await send('dropoffBroken', type, dropoff('dropoff-broken', {}));
  await send('dropoffPending', type, dropoff('dropoff-pending', { orderId: await make('pending') }));
  names.documented = await make('confirmed');
  await send('invoice', 'order.document.requested', { orderId: names.documented, document: 'invoice' });
  await send('receipt', 'order.document.requested', { orderId: names.documented, document: 'receipt' });
  await ended(run, ['dropoff-1', 'dropoff-pending', names.invoice ?? '']);
}

/** A price that the store's guard holds, and a raise of stock behind it. */
async function heldPrices({ run, send }: Making): Promise<void> {
  const guard = { maxListingsPercent: 20, maxChangePercent: 50, windowMinutes: 60 };
  await run.partner.callApi('PUT', `/stores/${WELL}/price-guard`, guard);
  await send('heldPrice', 'price.changed', { items: [{ sku: skuOf(3), price: 100 }] });
  await until('the held prices', async () => {
    const { body } = await run.partner.callApi('GET', `/stores/${WELL}/price-guard`);
    return body.hold !== null && body.hold !== undefined;
  });
  await send('heldStock', 'stock.changed', { items: [{ sku: skuOf(3), stock: 50 }] });
}

/** A suspended store for which everything waits. */
async function withSuspendedStore({ run, controls, names, send }: Making): Promise<void> {
  await controls.setStore(SUSPENDED, { blocked: true });
  await send('suspending', 'stock.changed', { items: [{ sku: 'CUP-1', stock: 3 }] }, SUSPENDED);
  await until('the store is suspended', async () => {
    const { body } = await run.partner.callApi('GET', `/stores/${SUSPENDED}`);
    return body.state === 'suspended';
  });
  const createOrder = () => controls.createOrder({ storeClientId: SUSPENDED, subStatus: 'pending' });
  const [order, waiting] = [await createOrder(), await createOrder()];
  names.waiting = waiting.orderId;
  const accept = { commandId: 'accept-waiting', items: [{ orderId: waiting.orderId, decision: 'accept' }] };
  await send('the one decision', 'order.decision.requested', accept, SUSPENDED);
  await send('suspendedPrice', 'price.changed', { items: [{ sku: 'CUP-2', price: 9_000 }] }, SUSPENDED);
  for (const [detailType, detail] of eachCommand('later', order.orderId))
    await send(`later ${detailType}`, detailType, detail, SUSPENDED);
  names.waitingDecision = names['later order.decision.requested'] ?? '';
}

/** A store for which the marketplace answers 503 to everything. It comes last: the faults are those of all stores. */
async function withFailingMarketplace({ run, controls, names, send }: Making): Promise<void> {
  const { orderId } = await controls.createOrder({ storeClientId: FAILING, subStatus: 'pending' });
  const paths = [
    STOCKS,
    DECISIONS,
    DROPOFFS,
    '/partner/stores/catalog/sync',
    '/partner/stores/products/bulk',
    '/partner/stores/products/prices',
    '/partner/stores/products/deletions',
    `/partner/stores/products/${NO_PRODUCT}`,
    `/partner/stores/orders/${orderId}/documents/*`,
  ];
  for (const path of paths) await controls.addFault({ path, times: 1_000, fault: UNAVAILABLE });
  await send('failing', 'stock.changed', { items: [{ sku: 'GLASS-1', stock: 3 }] }, FAILING);
  names.failedRequest = await until('a failed request of stock', async () => {
    const path = `/trace?target=sku:GLASS-1&storeClientId=${FAILING}`;
    const { body } = await run.partner.callApi('GET', path);
    const tried = body.steps?.find(({ what }: { what: string }) => what === 'request.tried');
    return tried?.requestId as string | undefined;
  });
  await send('failingPrice', 'price.changed', { items: [{ sku: 'GLASS-2', price: 9_000 }] }, FAILING);
  for (const [detailType, detail] of eachCommand('failing', orderId))
    await send(`failing ${detailType}`, detailType, detail, FAILING);
}
