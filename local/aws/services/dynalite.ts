import dynalite from 'dynalite';
import { guard } from '../../../loopback/guard.ts';
import { type LoopbackServer, listen } from '../loopback-server.ts';

/**
 * Starts the DynamoDB backend on a free loopback port.
 *
 * @param dataDirectory where tables are kept; in memory when absent
 */
export async function startDynalite(dataDirectory: string | undefined): Promise<LoopbackServer> {
  const server = dynalite({
    ...(dataDirectory === undefined ? {} : { path: dataDirectory }),
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
  });
  guard(server);
  return listen(server, 0);
}
