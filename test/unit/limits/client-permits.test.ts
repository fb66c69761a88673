import { describe, expect, test } from 'vitest';
import { clientPermits } from '../../../shared/limits/client-permits.ts';
import { createLimiter } from '../../../shared/limits/limiter.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import { clientAnswering, STORE } from '../marketplace/fake-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { settings } from './senders.ts';

/** A client whose limit's only permit is taken, and that repeats nothing. */
async function saturatedClient() {
  const clock = virtualClock();
  let ids = 0;
  const ports = { limits: inMemoryLimitTable(), clock, newId: () => `permit-${ids++}`, random: () => 0.5 };
  const limiter = createLimiter(ports, { ...settings, requestsInFlight: 1 }, 'partner');
  await clock.run(limiter.acquire({ until: clock.now() }));
  const { client } = clientAnswering([], { clock, permits: clientPermits(limiter, clock), maxAttempts: 1 });
  return { clock, client };
}

describe('a call that gets no leave to send', () => {
  test('fails with LIMIT_REACHED when its wait is over', async () => {
    const { clock, client } = await saturatedClient();
    await expect(clock.run(client.listProducts(STORE, {}))).rejects.toMatchObject({
      name: 'MarketplaceError',
      code: 'LIMIT_REACHED',
      outcome: 'not-sent',
      retryable: true,
    });
  });

  test('fails with ABORTED when its caller gives up before', async () => {
    const { clock, client } = await saturatedClient();
    const controller = new AbortController();
    const { signal } = controller;
    const call = client.listProducts(STORE, {}, { signal });
    const ended = call.catch((error: unknown) => error);
    await clock.run(clock.sleep(300));
    const reason = new DOMException('too late', 'TimeoutError');
    controller.abort(reason);
    expect(await ended).toMatchObject({
      name: 'MarketplaceError',
      code: 'ABORTED',
      outcome: 'not-sent',
      retryable: false,
    });
  });

  test('fails as the Limits table does', async () => {
    const failure = new Error('throttled');
    const limiter = { acquire: () => Promise.reject(failure) } as never;
    const { client } = clientAnswering([], { permits: clientPermits(limiter, Date) });
    const signal = AbortSignal.abort();
    await expect(client.listProducts(STORE, {})).rejects.toBe(failure);
    await expect(clientPermits(limiter, Date).acquire({ endpoint: 'x', signal })).rejects.toBe(failure);
  });
});
