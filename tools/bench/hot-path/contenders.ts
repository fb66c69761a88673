import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import type { Tick } from './plan.ts';

/** A way to bring changes to the marketplace. */
export interface Contender {
  /** Resolves when the contender has accepted the changes: its sender forgets them then. */
  deliver(ticks: readonly Tick[]): Promise<void>;
  /** Kills its processes and starts them again. */
  restart(): Promise<void>;
  /** Whether it still has something to send. */
  isBusy(): boolean;
  stop(): Promise<void>;
}

/** The stack's functions. They start again with the next message, and the queues and tables are not part of them. */
export function connector(run: ConnectorRun, storeClientId: string): Contender {
  return {
    deliver: (ticks) =>
      run.partner.sendChanges(
        ticks.map(({ detailType, version, skus }) => {
          const value = detailType === 'stock.changed' ? { stock: version } : { price: version };
          const items = skus.map((sku) => ({ sku, ...value }));
          return JSON.stringify({ 'detail-type': detailType, detail: { storeClientId, version, items } });
        }),
      ),
    restart: async () => {
      for (const name of run.local.functions.names()) run.local.functions.kill(name);
    },
    // What it has accepted it will send.
    isBusy: () => true,
    stop: async () => {},
  };
}

/** A script in a process of its own: see `script.ts`. */
export async function script(
  kind: string,
  { baseUrl, requestsPerSecond }: { readonly baseUrl: string; readonly requestsPerSecond: number },
): Promise<Contender> {
  let child: ChildProcess;
  let isBusy = false;
  const start = async () => {
    const args = [kind, baseUrl, String(requestsPerSecond)];
    child = fork(join(import.meta.dirname, 'script.ts'), args, { execArgv: [] });
    child.on('message', (message) => {
      if (message === 'busy' || message === 'idle') isBusy = message === 'busy';
    });
    await once(child, 'spawn');
  };
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    deliver: async (ticks) => {
      const accepted = new Promise<void>((resolve) => {
        const listen = (message: unknown) => {
          if (message !== 'accepted') return;
          child.off('message', listen);
          resolve();
        };
        child.on('message', listen);
      });
      child.send(ticks);
      await accepted;
    },
    restart: async () => {
      await stop();
      isBusy = false;
      await start();
    },
    isBusy: () => isBusy,
    stop,
  };
}
