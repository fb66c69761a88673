import { describe, expect, it, vi } from 'vitest';
import type { Place } from '../../../shared/limits/ports.ts';
import { TransportError } from '../../../shared/marketplace/errors.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import { answer, clientAnswering, permitsGiving, refusal, STORE } from './fake-transport.ts';

const items = [{ sku: 'A', stock: 5 }];
const AT = Date.UTC(2026, 0, 1);

/** Places in the order of reservation; `events` records what happens to them. */
function placesFor(
  events: string[],
  places: readonly { readonly name: string; readonly isLost?: boolean; readonly fault?: Error }[],
) {
  let asked = 0;
  const placeOf = ({ name, isLost, fault }: (typeof places)[number], index: number): Place => {
    let isUsed = false;
    return {
      at: AT + index,
      begin: async () => {
        isUsed = true;
        if (isLost) return undefined;
        if (fault) throw fault;

        events.push(`${name} begun`);
        return { release: async ({ code = 'none' }) => void events.push(`${name} released: ${code}`) };
      },
      giveBack: async () => {
        if (!isUsed) events.push(`${name} given back`);
      },
    };
  };
  return {
    reserve: async () => {
      const place = places[asked];
      if (place === undefined) return { reason: 'busy', retryAt: AT } as const;
      asked += 1;
      return placeOf(place, asked);
    },
  };
}

it('a request releases its permit before a retry takes another', async () => {
  const events: string[] = [];
  const { client } = clientAnswering([refusal(401, 'AUTH_010'), answer(200, { success: true })]);
  const permits = placesFor(events, [{ name: 'first' }, { name: 'second' }]);
  await client.updateStocks(STORE, { items }, { permits });
  expect(events).toEqual([
    'first begun',
    'first released: AUTH_010',
    'second begun',
    'second released: none',
  ]);
});

it('a request is prepared before it takes its permit, and again after a lost place', async () => {
  const events: string[] = [];
  const { client, sent } = clientAnswering([answer(200, { success: true })]);
  await client.updateStocks(
    STORE,
    { items },
    {
      permits: placesFor(events, [{ name: 'first', isLost: true }, { name: 'second' }]),
      onAttempt: async ({ signedAt }) => void events.push(`ready for ${signedAt - AT}`),
    },
  );
  expect(events).toEqual(['ready for 1', 'ready for 2', 'second begun', 'second released: none']);
  expect(sent[0]?.headers['x-timestamp']).toBe(String(AT + 2));
});

it('a request whose permit can not be taken was not sent: it takes another place', async () => {
  const events: string[] = [];
  const { client, sent } = clientAnswering([answer(200, { success: true })]);
  const fault = new Error('the table is throttled');
  const permits = placesFor(events, [{ name: 'first', fault }, { name: 'second' }]);
  const onAttempt = async () => void events.push('recorded');
  await client.updateStocks(STORE, { items }, { permits, onAttempt });
  expect(events).toEqual(['recorded', 'recorded', 'second begun', 'second released: none']);
  expect(sent).toHaveLength(1);
  const last = { permits: placesFor(events, [{ name: 'third', fault }]), onAttempt };
  await expect(client.updateStocks(STORE, { items }, last)).rejects.toMatchObject({ outcome: 'not-sent' });
});

it('a request returns its place when it is withdrawn before it leaves', async () => {
  const events: string[] = [];
  const { client, sent } = clientAnswering([]);
  const withdrawn = new Error('withdrawn');
  const call = client.updateStocks(
    STORE,
    { items },
    {
      permits: placesFor(events, [{ name: 'first' }]),
      onAttempt: () => Promise.reject(withdrawn),
    },
  );
  await expect(call).rejects.toBe(withdrawn);
  expect({ events, sent }).toEqual({ events: ['first given back'], sent: [] });
});

describe('a permit', () => {
  const releasedBy = async (responses: Parameters<typeof clientAnswering>[0], options: CallOptions = {}) => {
    const release = vi.fn(async () => {});
    const { client } = clientAnswering(responses, { permits: permitsGiving(release) });
    await expect(client.updateStocks(STORE, { items }, options)).rejects.toThrow();
    return release;
  };

  it('is released as unused when no connection could be opened, and not when it was cut', async () => {
    const refused = new TransportError('connectFailed', 'refused', { sent: false });
    expect(await releasedBy([refused])).toHaveBeenCalledExactlyOnceWith({
      storeClientId: STORE.storeClientId,
      code: 'CONNECT_FAILED',
      unused: true,
    });
    const cut = new TransportError('connectionCut', 'cut', { sent: true });
    expect(await releasedBy([cut])).toHaveBeenCalledExactlyOnceWith({
      storeClientId: STORE.storeClientId,
      code: 'CONNECTION_CUT',
    });
  });
});
