import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';

const storeClientId = 'store-1wh';

let run: ConnectorRun;
let sandbox: SandboxControls;

beforeAll(async () => {
  run = await startQuickRun();
  if (run.controls === undefined) throw new Error('the marketplace is no sandbox');
  sandbox = run.controls;
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

const makeOrder = async (subStatus: string) =>
  (await sandbox.createOrder({ storeClientId, subStatus })).orderId;
const pathOf = (orderId: string, document: string) =>
  `/stores/${storeClientId}/orders/${orderId}/documents/${document}`;
const generated = async (orderId: string) =>
  (await sandbox.requests()).requests.filter(({ path }) => path.includes(orderId)).length;

describe.each(['shipping-label', 'invoice'])('a %s requested by route', (document) => {
  test('is fetched at once, once only, and returned as a URL that needs no credentials', async () => {
    const orderId = await makeOrder('confirmed');
    const path = pathOf(orderId, document);
    expect((await run.partner.callApi('GET', path)).status).toBe(404);

    const fetched = await run.partner.callApi('POST', path);
    const key = `documents/${storeClientId}/${orderId}/${document}.pdf`;
    expect(fetched).toMatchObject({
      status: 200,
      body: { key, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect((await run.partner.callApi('POST', path)).body).toEqual(fetched.body);
    expect(await generated(orderId)).toBe(1);

    const { body } = await run.partner.callApi('GET', path);
    expect(body).toMatchObject({ ...fetched.body, expiresAt: expect.any(String) });
    const bytes = Buffer.from(await (await fetch(body.url)).arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(fetched.body.sha256);
    expect((await fetch(body.url.replace(key, key.replace('documents/', 'other/')))).status).toBe(403);
  });

  test('is fetched again on request', async () => {
    const orderId = await makeOrder('confirmed');
    await run.partner.callApi('POST', pathOf(orderId, document));
    await run.partner.callApi('POST', `${pathOf(orderId, document)}?refresh=true`);
    expect(await generated(orderId)).toBe(2);
  });

  test('that the state of the order does not allow is refused with the code of the marketplace and recorded as failed', async () => {
    const orderId = await makeOrder('pending');
    const answer = await run.partner.callApi('POST', pathOf(orderId, document));
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'ORDER_021' } } });
    const order = await run.partner.callApi('GET', `/stores/${storeClientId}/orders?orderId=${orderId}`);
    expect(order.body.documents).toMatchObject({ [document]: { state: 'failed', code: 'ORDER_021' } });
  });
});

test('an answer that is not a PDF becomes 502, and nothing is stored', async () => {
  const orderId = await makeOrder('confirmed');
  const path = pathOf(orderId, 'invoice');
  await sandbox.addFault({
    path: `/partner/stores/orders/${orderId}/*`,
    times: 20,
    fault: { malformed: true },
  });
  expect((await run.partner.callApi('POST', path)).status).toBe(502);
  expect((await run.partner.callApi('GET', path)).status).toBe(404);
});

test('no function lacks a permission while it fetches documents by route', () => {
  expect(run.local.accessDenied).toEqual([]);
});
