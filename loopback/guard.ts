import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { refusalOf } from './refusal.ts';

/** Lets a server of other authors refuse what pages of other sites send. */
export function guard(server: Server): void {
  const listeners = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refusalOf({ method: request.method ?? '', headers: request.headers });
    if (refusal === undefined) for (const listener of listeners) listener.call(server, request, response);
    else response.writeHead(refusal.status, { 'content-type': 'text/plain' }).end(refusal.message);
  });
}
