import { describe, expect, it, vi } from 'vitest';
import { TransportError } from '../../../shared/marketplace/errors.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import { answer, clientAnswering, refusal, STORE } from './fake-transport.ts';

it('gives the permit that its caller took back before a correction takes another', async () => {
  const events: string[] = [];
  const permitNamed = (name: string) => ({
    release: async ({ code = 'none' }: { code?: string }) => {
      events.push(`${name} given back: ${code}`);
    },
  });
  const permits = {
    acquire: async () => {
      events.push('second taken');
      return permitNamed('second');
    },
  };
  const { client } = clientAnswering([refusal(401, 'AUTH_010'), answer(200, { success: true })], { permits });
  const items = [{ sku: 'A', stock: 5 }];
  await client.updateStocks(STORE, { items }, { permit: permitNamed('first') });
  expect(events).toEqual(['first given back: AUTH_010', 'second taken', 'second given back: none']);
});

describe('a permit is given back unused', () => {
  const releasedBy = async (responses: Parameters<typeof clientAnswering>[0], options: CallOptions) => {
    const release = vi.fn(async () => {});
    const { client } = clientAnswering(responses, {});
    const calling = client.updateStocks(
      STORE,
      { items: [{ sku: 'A', stock: 5 }] },
      { permit: { release }, ...options },
    );
    await expect(calling).rejects.toThrow();
    return release;
  };

  it('when its request was withdrawn before it left', async () => {
    const onAttempt = () => Promise.reject(new Error('withdrawn'));
    expect(await releasedBy([], { onAttempt })).toHaveBeenCalledExactlyOnceWith({ unused: true });
  });

  it('when no connection could be made, and not when it was cut', async () => {
    const refused = new TransportError('connect-failed', 'refused', { sent: false });
    expect(await releasedBy([refused], {})).toHaveBeenCalledExactlyOnceWith({
      code: 'CONNECT_FAILED',
      unused: true,
    });
    const cut = new TransportError('cut', 'cut', { sent: true });
    expect(await releasedBy([cut], {})).toHaveBeenCalledExactlyOnceWith({ code: 'CONNECTION_CUT' });
  });
});
