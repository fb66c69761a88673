import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';
import { guard } from '../../../loopback/guard.ts';

export interface DynaliteServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts the DynamoDB backend on a free loopback port.
 *
 * @param dataDirectory where tables are kept; in memory when absent
 */
export async function startDynalite(dataDirectory: string | undefined): Promise<DynaliteServer> {
  const server = dynalite({
    ...(dataDirectory === undefined ? {} : { path: dataDirectory }),
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
  });
  guard(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
