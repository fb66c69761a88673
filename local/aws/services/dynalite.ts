import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { guard } from '../../../loopback/guard.ts';

type Dynalite = (options: {
  path?: string;
  createTableMs: number;
  deleteTableMs: number;
  updateTableMs: number;
}) => Server;

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
  // A CommonJS package without types.
  const dynalite = createRequire(import.meta.url)('dynalite') as Dynalite;
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
