import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './partner.ts';

interface Received {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  raw: Buffer;
  json: Json;
}

/** A receiver of final summaries that answers these statuses one after another, then 200. */
export async function startReceiver(...statuses: number[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    received.push({
      path: request.url ?? '',
      headers: request.headers,
      raw,
      json: JSON.parse(raw.toString()),
    });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks/marketplace`,
    received,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
