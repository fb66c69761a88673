import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { Target } from '../target/target.ts';

/** A port of the local run, with the first output that names it. */
export interface Port {
  readonly output: string;
  readonly host: string;
  readonly port: number;
}

const TIMEOUT_MS = 5_000;

/** The ports that the URLs of a local run's outputs have, each once. */
export function portsOf({ outputs }: Pick<Target, 'outputs'>): Port[] {
  const ports = new Map<string, Port>();
  for (const [output, value] of Object.entries(outputs)) {
    if (!URL.canParse(value)) continue;
    const { hostname: host, port, host: key } = new URL(value);
    if (port !== '' && !ports.has(key)) ports.set(key, { output, host, port: Number(port) });
  }
  return [...ports.values()];
}

/** Whether a program takes connections at a port. */
export async function isListening({ host, port }: Port): Promise<boolean> {
  const socket = createConnection({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
