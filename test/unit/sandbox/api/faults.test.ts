import { describe, expect, it } from 'vitest';
import { until } from '../../../../local/run/until.ts';
import { useSandbox } from '../sandbox.ts';

const LIST = 'GET /partner/stores/warehouses';
const CREATE = 'POST /partner/stores/products/bulk';
const sandbox = useSandbox();

async function fault(rule: Record<string, unknown>) {
  expect((await sandbox.control('POST /faults', rule)).status).toBe(200);
}

async function codeOf(line = LIST): Promise<[number, string | undefined]> {
  const { status, json } = await sandbox.call(line);
  return [status, json?.error?.code];
}

const create = () => sandbox.call(CREATE, { body: { products: [{ sku: 'A' }] } });

async function created(): Promise<number> {
  await sandbox.idle();
  return (await sandbox.live('store-0wh')).length;
}

describe('which requests a fault meets', () => {
  it('is one by default, then it is used up', async () => {
    await fault({ fault: { status: 503 } });
    expect(await codeOf()).toEqual([503, 'SYS_DEP_503']);
    expect(await codeOf()).toEqual([200, undefined]);
  });

  it('is as many as it says', async () => {
    await fault({ times: 2, fault: { status: 500 } });
    expect([await codeOf(), await codeOf(), await codeOf()].map(([status]) => status)).toEqual([
      500, 500, 200,
    ]);
  });

  it('depends on path and method, a star standing for anything', async () => {
    await fault({ path: '/partner/stores/*/sku/*', method: 'GET', fault: { status: 500 } });
    await fault({ method: 'POST', fault: { status: 501 } });
    expect((await codeOf())[0]).toBe(200);
    expect((await codeOf('GET /partner/stores/products/sku/a.b'))[0]).toBe(500);
    expect((await codeOf('POST /partner/stores/products/deletions'))[0]).toBe(501);
  });

  it('is in the order in which faults were asked for, one for each request', async () => {
    await fault({ fault: { status: 500 } });
    await fault({ fault: { status: 502 } });
    expect([await codeOf(), await codeOf(), await codeOf()].map(([status]) => status)).toEqual([
      500, 502, 200,
    ]);
  });

  it('is none that fails authentication', async () => {
    await fault({ fault: { status: 503 } });
    expect((await sandbox.call(LIST, { secretKey: 'wrong' })).json.error.code).toBe('AUTH_010');
    expect(await codeOf()).toEqual([503, 'SYS_DEP_503']);
  });

  it('is none after all were cleared', async () => {
    await fault({ fault: { status: 503 } });
    await sandbox.control('DELETE /faults');
    expect(await codeOf()).toEqual([200, undefined]);
  });
});

describe('what a fault does', () => {
  it('status: answers an error without the effect, with its own code or the one of the status', async () => {
    await fault({ fault: { status: 504 } });
    const { status, json } = await create();
    expect([status, json.error.code, json.error.details.context]).toEqual([
      504,
      'SYS_UPS_001',
      { retryable: true },
    ]);
    await fault({ fault: { status: 418, code: 'TEAPOT_001' } });
    expect(await codeOf()).toEqual([418, 'TEAPOT_001']);
    expect(await created()).toBe(0);
  });

  it('status 503 names the operation of a document', async () => {
    const path = '/partner/stores/orders/00000000-0000-4000-8000-000000000001/documents';
    await fault({ times: 2, fault: { status: 503 } });
    const label = await sandbox.call(`POST ${path}/shipping-label`);
    expect(label.json.error).toMatchObject({
      code: 'SYS_DEP_503',
      details: { context: { operation: 'awb_generation' } },
    });
    const invoice = await sandbox.call(`POST ${path}/invoice`);
    expect(invoice.json.error.details.context).toEqual({ operation: 'invoice_generation' });
  });

  it('drop before: cuts the connection without the effect', async () => {
    await fault({ fault: { drop: 'before' } });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(await created()).toBe(0);
  });

  it('drop after: cuts the connection after the effect', async () => {
    await fault({ fault: { drop: 'after' } });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(await created()).toBe(1);
    const { json } = await sandbox.control('GET /requests');
    expect(json.requests).toMatchObject([{ status: null, errorCode: null, items: 1 }]);
  });

  it('malformed: takes effect and answers a body that is no JSON', async () => {
    await fault({ fault: { malformed: true } });
    const { status, json, bytes } = await create();
    expect([status, json]).toEqual([200, undefined]);
    expect(bytes.length).toBeGreaterThan(0);
    expect(await created()).toBe(1);
  });

  it('malformed: answers a document that is no PDF', async () => {
    const order = await sandbox.control('POST /orders', {
      storeClientId: 'store-0wh',
      subStatus: 'confirmed',
    });
    await fault({ fault: { malformed: true } });
    const { bytes } = await sandbox.call(
      `POST /partner/stores/orders/${order.json.orderId}/documents/invoice`,
    );
    expect(bytes.subarray(0, 5).toString()).not.toBe('%PDF-');
  });

  it('contentType: takes effect and answers under another content type', async () => {
    await fault({ fault: { contentType: 'text/html' } });
    const { status, headers } = await create();
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html']);
    expect(await created()).toBe(1);
  });

  it('oversized: takes effect and answers a body of more than 10 MiB', async () => {
    await fault({ fault: { oversized: true } });
    const { status, bytes } = await create();
    expect(status).toBe(200);
    expect(bytes.length).toBeGreaterThan(10 * 1024 * 1024);
    expect(await created()).toBe(1);
  });

  it('retryAfter: answers 429 with the header', async () => {
    await fault({ fault: { retryAfter: 7 } });
    const { status, headers, json } = await sandbox.call(LIST);
    expect([status, headers.get('retry-after'), json.error.code]).toEqual([429, '7', 'RATE_LIMITED']);
  });

  it('delayMs: takes effect later, even when the caller has gone', async () => {
    await fault({ fault: { delayMs: 400 } });
    const gone = new AbortController();
    const response = sandbox.call(CREATE, { body: { products: [{ sku: 'A' }] }, signal: gone.signal });
    await untilLogged();
    gone.abort();
    await expect(response).rejects.toThrow('aborted');
    expect((await sandbox.live('store-0wh')).length).toBe(0);
    await untilCreated();
  });
});

it('drops a request that still waits when the sandbox is reset', async () => {
  await fault({ fault: { delayMs: 400 } });
  const waiting = expect(create()).rejects.toThrow('fetch failed');
  await untilLogged();
  await sandbox.control('POST /reset');
  await waiting;
  expect(await created()).toBe(0);
});

/** Within the time that a test has. */
const soon = { withinMs: 4_000, everyMs: 10 };

async function untilLogged(): Promise<void> {
  const isLogged = async () => (await sandbox.control('GET /requests')).json.requests[0]?.items === 1;
  await until('the request in the log', isLogged, soon);
}

async function untilCreated(): Promise<void> {
  await until('the product', async () => (await created()) === 1, soon);
}

it.each([
  {},
  { fault: {} },
  { fault: { drop: 'sometimes' } },
  { fault: { code: 'X' } },
  { times: 0, fault: { status: 500 } },
])('refuses the rule %j', async (rule) => {
  expect((await sandbox.control('POST /faults', rule)).status).toBe(400);
});
