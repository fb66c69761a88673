import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { externalIdOf, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { withDirectClient } from '../../local/run/direct-client.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { CREDENTIALS_RETRY_SECONDS, hastyTemplate } from '../../tools/chaos/hasty-template.ts';
import { importProducts } from './support/import-products.ts';

const store = 'store-0wh';
/** A store whose products the partner names by its own identifier only. */
const externalIdStore = 'store-1wh';
const stores = { [store]: `token-${store}`, [externalIdStore]: `token-${externalIdStore}` };
const sku = skuOf(1);

let run: ConnectorRun;

beforeAll(async () => {
  run = await startQuickRun({ template: await hastyTemplate(), stores });
  await importProducts(run, store, 5);
  await importProducts(run, externalIdStore, 1);
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

const productOf = async (name: string) => {
  const state = await run.controls?.products(store);
  return state?.products.find((product) => product.sku === name);
};

const lastPrice = async (name: string) => {
  const entry = (await productOf(name))?.history.price.at(-1);
  return entry && { price: entry.price, specialPrice: entry.specialPrice };
};

const change = (detailType: string, version: number, item: object) =>
  JSON.stringify({ 'detail-type': detailType, detail: { storeClientId: store, version, items: [item] } });

describe('price.changed', () => {
  test('sets, keeps and clears a special price', async () => {
    await run.partner.sendChanges([change('price.changed', 1, { sku, price: 900, specialPrice: 800 })]);
    await until('the special price', async () => (await lastPrice(sku))?.specialPrice === 800);
    await run.partner.sendChanges([change('price.changed', 2, { sku, price: 950 })]);
    await until('the new price', async () => (await lastPrice(sku))?.price === 950);
    expect(await lastPrice(sku)).toEqual({ price: 950, specialPrice: 800 });
    await run.partner.sendChanges([change('price.changed', 3, { sku, price: 950, specialPrice: null })]);
    await until('no special price', async () => (await lastPrice(sku))?.specialPrice === null);
  });

  test('reaches the marketplace before the raised stock that came with it, and after the zero', async () => {
    const other = skuOf(2);
    const before = (await run.controls?.requests())?.requests.length ?? 0;
    await run.partner.sendChanges([
      change('stock.changed', 1, { sku: other, stock: 70 }),
      change('price.changed', 1, { sku: other, price: 777 }),
      change('stock.changed', 9, { sku, stock: 0 }),
    ]);
    await until('stock 70', async () => (await productOf(other))?.stock === 70);
    const { requests } = (await run.controls?.requests(before)) ?? { requests: [] };
    expect(requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path)).toEqual([
      '/partner/stores/inventory',
      '/partner/stores/products/prices',
      '/partner/stores/inventory',
    ]);
    expect((await productOf(sku))?.stock).toBe(0);
  });

  test('is accepted by the operations API, which shows its registers', async () => {
    const answer = await run.partner.callApi('POST', `/stores/${store}/prices`, {
      version: 20,
      items: [{ sku, price: 1234 }],
    });
    expect(answer.status).toBe(202);
    const listing = await until('the accepted price', async () => {
      const { body } = await run.partner.callApi('GET', `/stores/${store}/listings?target=sku:${sku}`);
      return body.registers?.price?.accepted?.value === 1234 && body;
    });
    expect(listing.registers.price).toMatchObject({
      desired: { value: 1234, version: 20 },
      sent: { value: 1234, version: 20, at: expect.any(String) },
      accepted: { value: 1234, version: 20, at: expect.any(String) },
    });
    expect((await lastPrice(sku))?.price).toBe(1234);
  });
});

describe('the last seen live value of a listing', () => {
  const listingOf = async (name: string, query = '') =>
    (await run.partner.callApi('GET', `/stores/${store}/listings?${query}target=sku:${name}`)).body;
  const push = async (name: string, price: number) => {
    await run.partner.sendChanges([change('price.changed', 50, { sku: name, price })]);
    const isAccepted = async () => (await listingOf(name)).registers?.price?.accepted?.value === price;
    await until('the accepted price', isAccepted);
  };

  test('comes from a read of the product, with its time, and is read only on request', async () => {
    const name = skuOf(3);
    await push(name, 4321);
    const before = (await run.controls?.requests())?.requests.length ?? 0;
    expect((await listingOf(name)).registers.price).not.toHaveProperty('live');
    expect((await run.controls?.requests(before))?.requests).toEqual([]);

    const { registers, live } = await listingOf(name, 'refresh=true&');
    expect(registers.price.live).toEqual({ value: 4321, version: 50, at: live.at });
    expect(live.values).toEqual({ price: 4321, specialPrice: null, stock: (await productOf(name))?.stock });
    expect((await listingOf(name)).live).toEqual(live);
  });

  test('is updated by every read through the API, and shows a value that the partner did not set', async () => {
    const name = skuOf(4);
    await push(name, 4321);
    const credentials = { storeClientId: store, storeToken: `token-${store}` };
    await withDirectClient(run.marketplace, (client) =>
      client.updatePrices(credentials, { items: [{ sku: name, price: 99 }] }),
    );
    await until('the foreign price', async () => (await lastPrice(name))?.price === 99);
    const { id } = (await productOf(name)) ?? {};
    expect((await run.partner.callApi('GET', `/stores/${store}/products/${id}`)).status).toBe(200);
    expect((await listingOf(name)).registers.price).toEqual({
      desired: { value: 4321, version: 50 },
      sent: { value: 4321, version: 50, at: expect.any(String), batchId: expect.any(String) },
      accepted: { value: 4321, version: 50, at: expect.any(String) },
      live: { value: 99, at: expect.any(String) },
    });
  });

  test('says that the product does not exist', async () => {
    const name = skuOf(5);
    await push(name, 4321);
    const { id } = (await productOf(name)) ?? {};
    await run.partner.callApi('POST', `/stores/${store}/products/deletions`, { ids: [id] });
    const { live, registers } = await listingOf(name, 'refresh=true&');
    expect(live).toEqual({ at: expect.any(String), values: {}, missing: true });
    expect(registers.price).not.toHaveProperty('live');
  });
});

describe('the names of a store', () => {
  const externalId = externalIdOf(1);
  const send = (detailType: string, ...items: object[]) => {
    const detail = { storeClientId: externalIdStore, version: 1, items };
    return run.partner.sendChanges([JSON.stringify({ 'detail-type': detailType, detail })]);
  };
  const nameBy = (names: object) => run.partner.callApi('PUT', `/stores/${externalIdStore}`, { names });
  const shown = async () => (await run.controls?.products(externalIdStore))?.products[0];

  test('are those of the settings at first, and can be changed while nothing waits', async () => {
    const path = `/stores/${externalIdStore}`;
    expect((await run.partner.callApi('GET', path)).body.names).toEqual({
      products: 'sku',
      orders: 'orderId',
    });
    const renamed = await nameBy({ products: 'externalId' });
    expect(renamed).toMatchObject({
      status: 200,
      body: { state: 'connected', names: { products: 'externalId', orders: 'orderId' } },
    });
    expect(await run.partner.callApi('PUT', path, {})).toMatchObject({ status: 400 });
    expect(await run.partner.callApi('PUT', '/stores/unknown', { names: {} })).toMatchObject({ status: 404 });
  });

  test('are required in rows: stock by externalId, prices by SKU, with UUIDs in upper or lower case', async () => {
    const other = externalIdOf(2);
    await send(
      'stock.changed',
      { externalId: externalId.toUpperCase(), stock: 33 },
      { sku, stock: 1 },
      { id: other, stock: 1 },
    );
    await send('price.changed', { sku, price: 333 }, { externalId, price: 1 });
    await until('stock and price', async () => {
      const product = await shown();
      return product?.price === 333 && product.history.stock.at(-1)?.stock === 33;
    });
    const { body } = await run.partner.callApi('GET', `/stores/${externalIdStore}/rejections`);
    expect(
      body.rejections.map(({ code, rowIndex }: { code: string; rowIndex: number }) => [code, rowIndex]),
    ).toEqual(
      expect.arrayContaining([
        ['NAME_KIND', 1],
        ['NAME_KIND', 2],
      ]),
    );
    const listing = `/stores/${externalIdStore}/listings?target=externalId:${externalId}`;
    await until('what was accepted', async () => {
      const answer = await run.partner.callApi('GET', listing);
      return answer.body.registers?.stock?.accepted?.value === 33;
    });
  });

  test('can not change while anything waits, and their change removes the listings by the former name', async () => {
    await run.controls?.setStore(externalIdStore, { blocked: true });
    await send('stock.changed', { externalId: externalIdOf(3), stock: 1 });
    await until('the suspension', async () => {
      const { body } = await run.partner.callApi('GET', `/stores/${externalIdStore}`);
      return body.state === 'suspended';
    });
    expect(await nameBy({ products: 'id' })).toMatchObject({
      status: 409,
      body: { error: { code: 'STORE_BUSY' } },
    });
    await run.controls?.setStore(externalIdStore, { blocked: false });
    await run.partner.callApi('POST', `/stores/${externalIdStore}/discard`, { what: 'everything' });
    await until('the new name', async () => (await nameBy({ products: 'id' })).status === 200);
    const { body } = await run.partner.callApi('GET', `/stores/${externalIdStore}`);
    expect(body).not.toHaveProperty('formerName');
    const listing = `/stores/${externalIdStore}/listings?target=externalId:${externalId}`;
    expect(await run.partner.callApi('GET', listing)).toMatchObject({ status: 404 });
  });

  test('name the listing for the price and stock of an update by ID', async () => {
    const id = (await productOf(sku))?.id ?? '';
    const changes = { price: 812, stock: 8 };
    expect(await run.partner.callApi('PATCH', `/stores/${store}/products/${id}`, changes)).toMatchObject({
      status: 202,
    });
    await run.local.idle();
    const { body } = await run.partner.callApi('GET', `/stores/${store}/rejections`);
    // The listing has integer versions, and the update has no version.
    expect(body.rejections).toContainEqual(
      expect.objectContaining({ code: 'VERSION_KIND', target: `sku:${sku}`, detailType: 'price.changed' }),
    );
  });
});

describe('refused credentials of the partner', () => {
  test('stop all lanes except one that tries them, and lose nothing', async () => {
    await run.partner.putSecret({ partnerSecretKey: 'not-the-secret' });
    // The process still signs with the secret that it read before.
    run.local.functions.kill('ListingProducer');
    await run.partner.sendChanges([change('stock.changed', 40, { sku, stock: 40 })]);
    await until('the refusal', async () => (await refusals()).length > 0);
    await run.local.idle();
    const known = (await refusals()).length;

    await until('another try', async () => {
      await run.local.triggerSchedule('LaneWaker');
      return (await refusals()).length > known;
    });
    const [last, next] = (await refusals()).slice(known - 1);
    const waitedMs = Date.parse(next?.time ?? '') - Date.parse(last?.time ?? '');
    expect(waitedMs).toBeGreaterThanOrEqual(CREDENTIALS_RETRY_SECONDS * 1000);

    await run.partner.putSecret({ partnerSecretKey: run.marketplace.partnerSecretKey });
    await until('stock 40 at the marketplace', async () => {
      await run.local.triggerSchedule('LaneWaker');
      return (await productOf(sku))?.stock === 40;
    });
  });

  const refusals = async () => {
    const { requests } = (await run.controls?.requests()) ?? { requests: [] };
    return requests.filter(({ errorCode }) => errorCode === 'AUTH_010');
  };
});
