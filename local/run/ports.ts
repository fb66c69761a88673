import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of the local run, and the variable that sets it. */
export interface WantedPort {
  readonly variable: string;
  /** 0: any free port. */
  readonly port: number;
}

/**
 * Checks that each port is free.
 *
 * @throws Error with a line for each taken port, naming the port and its variable
 */
export async function assertPortsFree(wanted: readonly WantedPort[]): Promise<void> {
  const chosen = wanted.filter(({ port }) => port !== 0);
  const problems: string[] = [];
  for (const [index, { variable, port }] of chosen.entries()) {
    const earlier = chosen.slice(0, index).find((one) => one.port === port);
    const problem = earlier
      ? `is also the port of ${earlier.variable}: set ${variable} to another one`
      : await problemOf(port, variable);
    if (problem !== undefined) problems.push(`port ${port} ${problem}`);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

async function problemOf(port: number, variable: string): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EADDRINUSE' ? 'is in use by another program: end that one' : `fails with ${code}`;
    return `${reason}, or set ${variable} to a free port (0: any)`;
  } finally {
    if (server.listening) server.close();
  }
}
