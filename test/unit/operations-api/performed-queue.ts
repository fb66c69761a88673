import { expect } from 'vitest';
import type { Domain } from '../../../shared/requests/domain.ts';
import type { Command } from '../../../shared/requests/model.ts';
import type { LedgerPorts } from '../../../shared/requests/ports.ts';
import { receiveCommands } from '../../../shared/requests/use-cases/receive-commands.ts';

/** The ports of a route with a queue whose commands are performed once, while the caller waits. */
export function performedQueue<C extends Command>(
  ports: LedgerPorts,
  domain: Domain<C>,
  time: { now: number },
) {
  const queued: string[] = [];
  const performing = {
    ...ports,
    clock: { now: () => time.now, sleep: async () => {} },
    secretKey: { read: async () => 'key' },
    limiter: { stop: async () => {} },
    commandQueue: { sendLater: async () => {} },
  };
  const sleep = async (ms: number) => {
    time.now += ms;
    const messages = queued.splice(0).map((body) => ({ messageId: 'm-1', sentAt: time.now, body }));
    const { failures } = await receiveCommands(performing, domain, messages);
    if (failures[0]) expect.unreachable(String(failures[0].error));
  };
  const queue = { send: async (bodies: readonly string[]) => void queued.push(...bodies) };
  return { queue, queued, ports: { ...ports, clock: { now: () => time.now, sleep } } };
}
