import { ndjsonCatalog, simpleProduct, skuOf } from '../../../local/run/catalog.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import type { SandboxControls } from '../../../local/run/sandbox-controls.ts';
import { until } from '../../../local/run/until.ts';

/** The store in which all is well, one that gets suspended, and one for which the marketplace fails. */
export const WELL = 'store-0wh';
export const SUSPENDED = 'store-1wh';
export const FAILING = 'store-2wh';

const DECISIONS = '/partner/stores/orders/decisions';
const STOCKS = '/partner/stores/inventory';

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
  await madeProducts({ run, controls, names, send });
  await saidOfProducts({ run, controls, names, send });
  await saidOfOrders({ run, controls, names, send });
  await inTrouble({ run, controls, names, send });
  return names;
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
  await until('the products at the marketplace', async () => {
    const state = await controls.products(WELL);
    return state?.products.length === 5;
  });
  const shown = await controls.products(WELL);
  names.productId = shown?.products.find(({ sku }) => sku === 'MUG-1')?.id ?? '';
}

async function saidOfProducts({ run, send }: Making): Promise<void> {
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
  await ended(accepted.orderId, 'done');
  await send('second', 'order.decision.requested', {
    commandId: 'reject-1',
    items: [{ orderId: accepted.orderId, decision: 'reject', reasonCode: '1', reason: 'out of stock' }],
  });
  const rejected = await make('pending');
  names.rejected = rejected.orderId;
  await send('rejection', 'order.decision.requested', {
    items: [{ orderId: rejected.orderId, decision: 'reject', reasonCode: '1', reason: 'out of stock' }],
  });
  await ended(rejected.orderId, 'done');
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
  await ended(tried.orderId, 'done');
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
    outcome: 'done',
    reason: 'seen in the seller panel',
  });
  const label = await make('pending');
  names.label = label.orderId;
  await send('labelOfNothing', 'order.document.requested', {
    orderId: '90000000-0000-4000-8000-000000000405',
    document: 'invoice',
  });
}

/** A suspended store with stock and an order, and a store for whose stock the marketplace answers 503. */
async function inTrouble({ run, controls, names, send }: Making): Promise<void> {
  await controls.setStore(SUSPENDED, { blocked: true });
  await send('suspending', 'stock.changed', { items: [{ sku: 'CUP-1', stock: 3 }] }, SUSPENDED);
  await until('the store is suspended', async () => {
    const { body } = await run.partner.callApi('GET', `/stores/${SUSPENDED}`);
    return body.state === 'suspended';
  });
  const order = await controls.createOrder({ storeClientId: SUSPENDED, subStatus: 'pending' });
  names.waiting = order.orderId;
  await send(
    'waitingDecision',
    'order.decision.requested',
    { commandId: 'accept-later', items: [{ orderId: order.orderId, decision: 'accept' }] },
    SUSPENDED,
  );
  await send(
    'waitingCreation',
    'product.create.requested',
    { commandId: 'create-later', products: [named(601, 'LATER-1')] },
    SUSPENDED,
  );
  await controls.addFault({ path: STOCKS, times: 1_000, fault: { status: 503, code: 'SYS_DEP_503' } });
  await send('failing', 'stock.changed', { items: [{ sku: 'GLASS-1', stock: 3 }] }, FAILING);
}
