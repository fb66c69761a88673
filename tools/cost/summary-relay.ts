import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Held {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Takes final summaries in the stack's place, so that what leads to them can be counted without them. */
export interface SummaryRelay extends AsyncDisposable {
  /** Where the marketplace is to send them. */
  readonly url: string;
  readonly held: number;
  /** Sends those that are held to the stack, as they came. */
  forward(): Promise<void>;
}

/** @param target the stack's own webhook; the relay has the same path, which is signed */
export async function startSummaryRelay(target: string): Promise<SummaryRelay> {
  const held: Held[] = [];
  const server = createServer(async (request, response) => {
    held.push({ headers: request.headers, body: await buffer(request) });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    get held() {
      return held.length;
    },
    forward: async () => {
      for (const { headers, body } of held.splice(0)) {
        const signed = ['x-partner-client-id', 'x-timestamp', 'x-signature', 'content-type'];
        const answer = await fetch(target, {
          method: 'POST',
          headers: Object.fromEntries(signed.map((name) => [name, String(headers[name])])),
          body: new Uint8Array(body),
        });
        if (!answer.ok) throw new Error(`the webhook answered ${answer.status}`);
      }
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
