import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMarketplaceClient, type MarketplaceClient } from '../../../shared/marketplace/client.ts';
import { createHttpTransport, type HttpTransport } from '../../../shared/marketplace/transport.ts';
import { startOddServer } from './odd-server.ts';

const STORE = { storeClientId: 'store-1wh', storeToken: 'token-store-1wh' };
const ITEMS = { items: [{ sku: 'A-1', stock: 5 }] };
const JSON_TYPE = { 'content-type': 'application/json' };
const BATCH = JSON.stringify({ success: true, data: { batchId: 'b-1' } });

let transport: HttpTransport;

beforeEach(() => {
  transport = createHttpTransport();
});
afterEach(() => transport.close());

function clientOf(baseUrl: string, timeoutMs = 5_000): MarketplaceClient {
  return createMarketplaceClient({
    baseUrl,
    partnerClientId: 'partner',
    secretKey: { read: async () => 'secret' },
    transport,
    clock: Date,
    timeoutMs,
    maxAttempts: 1,
  });
}

describe('an unusable answer', () => {
  it.each([
    {
      what: 'HTML with status 200',
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<html></html>',
      code: 'ANSWER_NOT_JSON',
      outcome: 'unknown',
    },
    {
      what: 'broken JSON',
      status: 200,
      headers: JSON_TYPE,
      body: '{"success":tr',
      code: 'ANSWER_NOT_JSON',
      outcome: 'unknown',
    },
    {
      what: 'an empty body',
      status: 200,
      headers: JSON_TYPE,
      body: '',
      code: 'ANSWER_EMPTY',
      outcome: 'unknown',
    },
    {
      what: 'another shape',
      status: 200,
      headers: JSON_TYPE,
      body: '[]',
      code: 'ANSWER_UNEXPECTED',
      outcome: 'unknown',
    },
    {
      what: 'JSON of another type',
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: BATCH,
      code: 'ANSWER_NOT_JSON',
      outcome: 'unknown',
    },
    {
      what: "a proxy's 502",
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<h1>502</h1>',
      code: 'HTTP_502',
      outcome: 'unknown',
    },
    {
      what: "a proxy's 413",
      status: 413,
      headers: { 'content-type': 'text/html' },
      body: '<h1>413</h1>',
      code: 'HTTP_413',
      outcome: 'refused',
    },
    {
      what: 'a redirect',
      status: 307,
      headers: { location: 'http://127.0.0.1:1/' },
      body: '',
      code: 'REDIRECTED',
      outcome: 'refused',
    },
    {
      what: 'a redirect after a POST',
      status: 303,
      headers: { location: '/done' },
      body: '',
      code: 'REDIRECTED',
      outcome: 'unknown',
    },
  ])('$what is $code, outcome $outcome', async ({ status, headers, body, code, outcome }) => {
    let requests = 0;
    await using server = await startOddServer((_, response) => {
      requests++;
      response.writeHead(status, headers).end(body);
    });
    await expect(clientOf(server.baseUrl).updateStocks(STORE, ITEMS)).rejects.toMatchObject({
      code,
      outcome,
      status,
    });
    expect(requests).toBe(1);
  });

  it('that is cut short is CONNECTION_CUT, outcome unknown', async () => {
    await using server = await startOddServer((_, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
      response.write(BATCH, () => response.destroy());
    });
    const call = clientOf(server.baseUrl).updateStocks(STORE, ITEMS);
    await expect(call).rejects.toMatchObject({ code: 'CONNECTION_CUT', outcome: 'unknown', retryable: true });
  });

  it('that never begins is CONNECTION_CUT, outcome unknown', async () => {
    await using server = await startOddServer((request) => request.socket.destroy());
    const call = clientOf(server.baseUrl).updateStocks(STORE, ITEMS);
    await expect(call).rejects.toMatchObject({ code: 'CONNECTION_CUT', outcome: 'unknown' });
  });

  it('that does not end is abandoned at 10 MiB, and its connection is destroyed', async () => {
    await using server = await startOddServer((_, response) => {
      response.writeHead(200, JSON_TYPE);
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const pump = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', pump);
      pump();
    });
    const call = clientOf(server.baseUrl).updateStocks(STORE, ITEMS);
    await expect(call).rejects.toMatchObject({
      code: 'ANSWER_TOO_LARGE',
      outcome: 'unknown',
      retryable: false,
    });
    await server.allClosed();
  });
});

describe('a missing answer', () => {
  it('is TIMEOUT, outcome unknown, and the connection is destroyed', async () => {
    await using server = await startOddServer(() => {});
    const call = clientOf(server.baseUrl, 50).updateStocks(STORE, ITEMS);
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', outcome: 'unknown', retryable: true });
    await server.allClosed();
  });

  it('is TIMEOUT also when it began but does not end', async () => {
    await using server = await startOddServer((_, response) => {
      response.writeHead(200, JSON_TYPE).write('{');
    });
    const call = clientOf(server.baseUrl, 100).updateStocks(STORE, ITEMS);
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', outcome: 'unknown' });
  });

  it('is ABORTED, outcome unknown, when the caller gives up, and the connection is destroyed', async () => {
    const caller = new AbortController();
    await using server = await startOddServer(() => caller.abort());
    const call = clientOf(server.baseUrl).updateStocks(STORE, ITEMS, { signal: caller.signal });
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', outcome: 'unknown', retryable: false });
    await server.allClosed();
  });
});

describe('a request that can not be sent', () => {
  it('is CONNECT_FAILED, outcome not-sent, when no server listens', async () => {
    const call = clientOf(`http://127.0.0.1:${await freePort()}`).updateStocks(STORE, ITEMS);
    await expect(call).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      outcome: 'not-sent',
      retryable: true,
    });
  });

  it('is TIMEOUT, outcome not-sent, while it waits for a connection, and is not sent later', async () => {
    transport = createHttpTransport({ connections: 1 });
    const arrived = Promise.withResolvers<() => void>();
    const stocks: string[] = [];
    await using server = await startOddServer(async (request, response) => {
      const { items } = (await json(request)) as typeof ITEMS;
      stocks.push(`${items[0]?.stock}`);
      const answer = () => response.writeHead(200, JSON_TYPE).end(BATCH);
      if (stocks.length === 1) arrived.resolve(answer);
      else answer();
    });
    const stockOf = (stock: number) => ({ items: [{ sku: 'A-1', stock }] });
    const first = clientOf(server.baseUrl).updateStocks(STORE, stockOf(1));
    const answerFirst = await arrived.promise;
    const second = clientOf(server.baseUrl, 20).updateStocks(STORE, stockOf(2));
    await expect(second).rejects.toMatchObject({ code: 'TIMEOUT', outcome: 'not-sent' });
    answerFirst();
    await first;
    await clientOf(server.baseUrl).updateStocks(STORE, stockOf(3));
    expect(stocks).toEqual(['1', '3']);
  });

  it('is CONNECT_FAILED after the transport was closed', async () => {
    await using server = await startOddServer((_, response) => response.end());
    await transport.close();
    const call = clientOf(server.baseUrl).updateStocks(STORE, ITEMS);
    await expect(call).rejects.toMatchObject({ code: 'CONNECT_FAILED', outcome: 'not-sent' });
  });
});

describe('an open connection', () => {
  it('is reused for later requests', async () => {
    await using server = await startOddServer((request, response) => {
      request.resume();
      response.writeHead(200, JSON_TYPE).end(BATCH);
    });
    const client = clientOf(server.baseUrl);
    for (let request = 0; request < 10; request++) await client.updateStocks(STORE, ITEMS);
    // Not exactly 1: undici frees a connection a moment after it has returned the answer.
    expect(server.connectionsMade()).toBeLessThanOrEqual(2);
  });
});

describe('a connection that has been idle too long', () => {
  it('is not reused, even if the process was frozen and no timer has run', async () => {
    let now = 0;
    transport = createHttpTransport({ clock: { now: () => now } });
    await using server = await startOddServer((request, response) => {
      request.resume();
      response.writeHead(200, JSON_TYPE).end(BATCH);
    });
    const client = clientOf(server.baseUrl);
    await client.updateStocks(STORE, ITEMS);
    now += 4_001;
    await client.updateStocks(STORE, ITEMS);
    expect(server.connectionsMade()).toBe(2);
    await server.closed(0);
  });
});

describe('an informational answer', () => {
  it('is not taken for the final answer', async () => {
    await using server = await startOddServer((request, response) => {
      request.resume();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(200, JSON_TYPE).end(BATCH);
    });
    expect(await clientOf(server.baseUrl).updateStocks(STORE, ITEMS)).toMatchObject({ batchId: 'b-1' });
  });
});

describe('a base URL with a path', () => {
  it('keeps its path in front of /api/v1', async () => {
    const paths: (string | undefined)[] = [];
    await using server = await startOddServer((request, response) => {
      paths.push(request.url);
      response.writeHead(200, JSON_TYPE).end(BATCH);
    });
    await clientOf(`${server.baseUrl}/gateway/`).updateStocks(STORE, ITEMS);
    expect(paths).toEqual(['/gateway/api/v1/partner/stores/inventory']);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
