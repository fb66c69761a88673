import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface OddServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** How many connections were made to it so far. */
  connectionsMade(): number;
  /** Resolves when one connection, by the order in which they were made, is closed. */
  closed(connection: number): Promise<void>;
  /** Resolves when no connection is open any more. */
  allClosed(): Promise<void>;
}

/** A server on a free loopback port that answers as a test says, to be as wrong as a server can be. */
export async function startOddServer(listener: RequestListener): Promise<OddServer> {
  const closed: Promise<unknown>[] = [];
  const server = createServer(listener);
  server.on('connection', (socket: Socket) => {
    closed.push(new Promise((resolve) => socket.once('close', resolve)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    connectionsMade: () => closed.length,
    closed: async (connection) => void (await closed[connection]),
    allClosed: async () => void (await Promise.all(closed)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
