import { describe, expect, test } from 'vitest';
import { clientAnswering, STORE } from '../marketplace/fake-transport.ts';
import { limitWorld, permitOf } from './callers.ts';

/** A client without retries whose only permit is taken. */
async function saturatedClient() {
  const { clock, newLimiter } = limitWorld({ requestsInFlight: 1 });
  const limiter = newLimiter();
  await clock.run(permitOf(limiter, clock));
  const options = { clock, sleep: clock.sleep, permits: limiter, maxAttempts: 1 };
  const { client } = clientAnswering([], options);
  return { clock, client };
}

describe('a call without a permit', () => {
  test('fails with LIMIT_REACHED after 2 s', async () => {
    const { clock, client } = await saturatedClient();
    const begun = clock.now();
    await expect(clock.run(client.listProducts(STORE, {}))).rejects.toMatchObject({
      name: 'MarketplaceError',
      code: 'LIMIT_REACHED',
      outcome: 'not-sent',
      retryable: true,
    });
    expect(clock.now() - begun).toBeLessThanOrEqual(2_000);
  });

  test('fails with ABORTED when its caller gives up earlier', async () => {
    const { clock, client } = await saturatedClient();
    const controller = new AbortController();
    const { signal } = controller;
    const ended = client.listProducts(STORE, {}, { signal }).catch((error: unknown) => error);
    await clock.run(clock.sleep(30));
    controller.abort(new DOMException('too late', 'TimeoutError'));
    expect(await clock.run(ended)).toMatchObject({
      name: 'MarketplaceError',
      code: 'ABORTED',
      outcome: 'not-sent',
      retryable: false,
    });
  });

  test('fails with TABLES_RESTORED at once and once, before the end of a restore', async () => {
    let asked = 0;
    const reserve = async () => {
      asked += 1;
      return { reason: 'restored' as const, retryAt: Date.now() };
    };
    const { client } = clientAnswering([], { permits: { reserve }, maxAttempts: 3 });
    await expect(client.unbindStore(STORE)).rejects.toMatchObject({
      code: 'TABLES_RESTORED',
      outcome: 'not-sent',
      retryable: true,
    });
    expect(asked).toBe(1);
  });

  test('fails with the error of the Limits table', async () => {
    const failure = new Error('throttled');
    const { client } = clientAnswering([], { permits: { reserve: () => Promise.reject(failure) } });
    await expect(client.listProducts(STORE, {})).rejects.toBe(failure);
  });
});
