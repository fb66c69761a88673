import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { createEndpointWorld, type EndpointWorld, STORE } from './support/endpoint-world.ts';
import { endpoints } from './support/endpoints.ts';
import { importProducts } from './support/import-products.ts';

const KNOWN_PRODUCTS = 20;

let run: ConnectorRun;
let world: EndpointWorld;

beforeAll(async () => {
  run = await startQuickRun();
  await importProducts(run, STORE, KNOWN_PRODUCTS);
  await run.local.idle();
  world = createEndpointWorld(run, KNOWN_PRODUCTS);
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

const requestsSince = async (since: number) => (await run.controls?.requests(since))?.requests ?? [];

describe.each(endpoints)('§$section $title', ({ method, path, ways }) => {
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);

  test.each(ways)('is reached by the $kind $name, and takes effect at the marketplace', async ({ take }) => {
    const last = (await requestsSince(0)).at(-1)?.sequence ?? 0;
    const effect = await take(world);
    const request = await until(`${method} ${path}`, async () =>
      (await requestsSince(last)).find((seen) => seen.method === method && pattern.test(seen.path)),
    );
    expect(request).toMatchObject({ errorCode: null });
    await until('the effect', effect);
  });
});

test('no function lacks a permission while it uses any endpoint', () => {
  expect(run.local.accessDenied).toEqual([]);
});
