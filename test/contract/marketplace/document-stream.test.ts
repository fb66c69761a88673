import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMarketplaceClient } from '../../../shared/marketplace/client.ts';
import type { SaveDocument } from '../../../shared/marketplace/documents.ts';
import type { MarketplaceClientOptions } from '../../../shared/marketplace/options.ts';
import { createHttpTransport, type HttpTransport } from '../../../shared/marketplace/transport.ts';
import { keepDocument } from '../../doubles/kept-document.ts';
import { startOddServer } from './odd-server.ts';

const STORE = { storeClientId: 'store-1wh', storeToken: 'token-store-1wh' };
const PDF_TYPE = { 'content-type': 'application/pdf' };
const LIMIT = 10 * 1024 * 1024;

let transport: HttpTransport;

beforeEach(() => {
  transport = createHttpTransport();
});
afterEach(() => transport.close());

function clientOf(baseUrl: string, options: Partial<MarketplaceClientOptions> = {}) {
  return createMarketplaceClient({
    baseUrl,
    partnerClientId: 'partner',
    secretKey: { read: async () => 'secret' },
    transport,
    clock: Date,
    timeoutMs: 5_000,
    ...options,
  });
}

/** A server that begins a PDF; the test decides how it continues. */
async function startPrinter(headers: Record<string, string> = {}) {
  const begun = Promise.withResolvers<ServerResponse>();
  const server = await startOddServer((_, response) => {
    response.writeHead(200, { ...PDF_TYPE, ...headers });
    response.write('%PDF-1.7 begun %%EOF');
    begun.resolve(response);
  });
  return Object.assign(server, { begun: begun.promise });
}

/** Stores a document, and resolves `first` when its first bytes have arrived. */
function watchedKeeper() {
  const first = Promise.withResolvers<void>();
  const keep: SaveDocument<string> = async ({ body }) => {
    let text = '';
    for await (const chunk of body) {
      text += Buffer.from(chunk).toString();
      first.resolve();
    }
    return text;
  };
  return { keep, first: first.promise };
}

describe('a document', () => {
  it('is passed on as it arrives, and its permit is released when it is complete', async () => {
    await using server = await startPrinter();
    let released = 0;
    const place = {
      at: Date.now(),
      begin: async () => ({ release: async () => void released++ }),
      giveBack: async () => {},
    };
    const permits = { reserve: async () => place };
    const { keep, first } = watchedKeeper();
    const call = clientOf(server.baseUrl, { permits }).generateInvoice(STORE, { orderId: 'o-1' }, keep);
    const response = await server.begun;
    await first;
    expect(released).toBe(0);
    response.end(' and ended');
    expect(await call).toBe('%PDF-1.7 begun %%EOF and ended');
    expect(released).toBe(1);
  });

  it('has the size given by its answer', async () => {
    await using server = await startPrinter({ 'content-length': '20' });
    const sizes: (number | undefined)[] = [];
    const keep: SaveDocument<void> = async (document) => {
      sizes.push(document.size);
      await keepDocument(document);
    };
    await clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keep);
    expect(sizes).toEqual([20]);
  });

  it('is recognised as a PDF although its first bytes arrive one by one', async () => {
    await using server = await startOddServer(async (_, response) => {
      response.writeHead(200, PDF_TYPE);
      for (const byte of '%PDF-%%EOF')
        await new Promise<void>((resolve) => response.write(byte, () => resolve()));
      response.end();
    });
    const { bytes } = await clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keepDocument);
    expect(Buffer.from(bytes).toString()).toBe('%PDF-%%EOF');
  });
});

describe('a document that does not arrive whole', () => {
  it('by an answer without a length fails with DOCUMENT_INCOMPLETE', async () => {
    await using server = await startOddServer((_, response) => {
      response.writeHead(200, { ...PDF_TYPE, connection: 'close' });
      response.end(`%PDF-1.7 ${'x'.repeat(1500)}`);
    });
    const call = clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keepDocument);
    await expect(call).rejects.toMatchObject({ code: 'DOCUMENT_INCOMPLETE', outcome: 'unknown' });
  });

  it('within its compression fails with CONNECTION_CUT', async () => {
    const packed = gzipSync(`%PDF-1.7 ${randomBytes(5000).toString('hex')} %%EOF`);
    await using server = await startOddServer((_, response) => {
      response.writeHead(200, { ...PDF_TYPE, 'content-encoding': 'gzip' }).end(packed.subarray(0, 4000));
    });
    const call = clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keepDocument);
    await expect(call).rejects.toMatchObject({ code: 'CONNECTION_CUT', outcome: 'unknown', retryable: true });
  });

  it.each([
    ['with a length', { 'content-length': '1000' }],
    ['in chunks', {}],
  ])('%s fails with CONNECTION_CUT, outcome unknown', async (_, headers) => {
    await using server = await startPrinter(headers);
    const { keep, first } = watchedKeeper();
    const call = clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keep);
    const response = await server.begun;
    await first;
    response.destroy();
    await expect(call).rejects.toMatchObject({ code: 'CONNECTION_CUT', outcome: 'unknown', retryable: true });
  });

  it('within the timeout fails with TIMEOUT, even while its consumer is stuck, and destroys the connection', async () => {
    await using server = await startPrinter();
    const stuck: SaveDocument<void> = () => new Promise(() => {});
    const call = clientOf(server.baseUrl, { timeoutMs: 100 }).generateInvoice(
      STORE,
      { orderId: 'o-1' },
      stuck,
    );
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', outcome: 'unknown' });
    await server.allClosed();
  });

  it('before the caller gives up fails with ABORTED and destroys the connection', async () => {
    const caller = new AbortController();
    await using server = await startPrinter();
    const { keep, first } = watchedKeeper();
    const options = { signal: caller.signal };
    const call = clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keep, options);
    await first;
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', outcome: 'unknown' });
    await server.allClosed();
  });
});

describe('a document above 10 MiB', () => {
  it('that is compressed is abandoned where it passes the limit', async () => {
    const packed = gzipSync(
      Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(LIMIT), Buffer.from('%%EOF')]),
    );
    await using server = await startOddServer((_, response) => {
      response.writeHead(200, PDF_TYPE).end(packed);
    });
    const call = clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keepDocument);
    await expect(call).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE', retryable: false });
  });

  it('is refused by its length before any of it is stored', async () => {
    await using server = await startPrinter({ 'content-length': String(LIMIT + 1) });
    const keep: SaveDocument<void> = async () => expect.unreachable();
    const call = clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keep);
    await expect(call).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE', outcome: 'unknown' });
    await server.allClosed();
  });

  it('is abandoned where it passes the limit, and the connection is destroyed', async () => {
    await using server = await startOddServer((_, response) => {
      response.writeHead(200, PDF_TYPE).write('%PDF-1.7');
      const chunk = Buffer.alloc(1024 * 1024);
      const pump = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', pump);
      pump();
    });
    let kept = 0;
    const keep: SaveDocument<void> = async ({ body }) => {
      for await (const chunk of body) kept += chunk.length;
    };
    const call = clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keep);
    await expect(call).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE', retryable: false });
    expect(kept).toBeLessThanOrEqual(LIMIT);
    await server.allClosed();
  });
});

describe('an error thrown by the consumer of a document', () => {
  it('is passed on unchanged, and the connection is destroyed', async () => {
    await using server = await startPrinter();
    const failure = new Error('the disk is full');
    const keep: SaveDocument<void> = () => Promise.reject(failure);
    await expect(clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keep)).rejects.toBe(
      failure,
    );
    await server.allClosed();
  });

  it('is replaced by CONNECTION_CUT when the connection was cut', async () => {
    await using server = await startPrinter();
    const { keep, first } = watchedKeeper();
    const misled: SaveDocument<string> = (document) =>
      keep(document).catch(() => Promise.reject(new Error('upload aborted')));
    const call = clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, misled);
    const response = await server.begun;
    await first;
    response.destroy();
    await expect(call).rejects.toMatchObject({ code: 'CONNECTION_CUT' });
  });
});

it('a slow reader makes the server wait', async () => {
  const total = 64 * 1024 * 1024;
  let written = 0;
  await using server = await startOddServer((_, response) => {
    const chunk = Buffer.alloc(256 * 1024);
    const pump = () => {
      while (written < total) {
        written += chunk.length;
        if (!response.write(chunk)) return;
      }
      response.end();
    };
    response.writeHead(200).on('drain', pump);
    pump();
  });
  /** Waits until nothing was written during 200 turns of the event loop. */
  const untilQuiet = async () => {
    let seen = written;
    for (let turns = 0; turns < 200; turns += 1) {
      await new Promise(setImmediate);
      if (written !== seen) turns = 0;
      seen = written;
    }
  };
  const request = { method: 'GET', url: server.baseUrl, headers: {}, timeoutMs: 5_000, maxBodyBytes: total };
  const read = await transport.receive(request, async ({ body }) => {
    await untilQuiet();
    expect(written).toBeLessThan(total);
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    return bytes;
  });
  expect(read).toBe(total);
});

it('a consumer that is still busy after the document arrived is under no timeout and can not be aborted', async () => {
  await using server = await startPrinter({ 'content-length': '20' });
  const caller = new AbortController();
  const keep: SaveDocument<string> = async (document) => {
    const { bytes } = await keepDocument(document);
    caller.abort();
    return `${bytes.length} bytes`;
  };
  const options = { signal: caller.signal };
  const call = clientOf(server.baseUrl).generateInvoice(STORE, { orderId: 'o-1' }, keep, options);
  expect(await call).toBe('20 bytes');
});
