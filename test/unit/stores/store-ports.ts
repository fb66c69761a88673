import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { MarketplaceError } from '../../../shared/marketplace/errors.ts';
import type { Store, StoreNames } from '../../../shared/stores/model.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemorySessionTable } from '../../doubles/in-memory-session-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';

export const NOW = Date.parse('2026-11-21T08:00:00.000Z');

/** A refusal by the marketplace. */
export const refusal = (code: string) =>
  new MarketplaceError({ code, message: code, outcome: 'refused', retryable: false });

export function connectedStore(facts: Partial<Store> = {}): Store {
  const at = '2026-11-01T00:00:00.000Z';
  return {
    storeClientId: 's-1',
    storeToken: 'token-1',
    state: 'connected',
    names: { products: 'sku', orders: 'orderId' },
    connectedAt: at,
    updatedAt: at,
    ...facts,
  };
}

/**
 * Every port of the stores' use cases, in memory. The marketplace accepts `tokens`; each of its calls throws `failure`,
 * if there is one.
 */
export function storePorts() {
  const published: OutgoingEvent[] = [];
  const marketplace = {
    tokens: new Set(['token-1']),
    failure: undefined as Error | undefined,
    redirectUris: [] as string[],
    unbound: [] as string[],
  };
  let now = NOW;
  let nonces = 0;
  const call = () => {
    if (marketplace.failure !== undefined) throw marketplace.failure;
  };
  return {
    published,
    marketplace,
    passTime: (ms: number) => {
      now += ms;
    },
    ports: {
      stores: inMemoryStoreTable(),
      sessions: inMemorySessionTable(),
      events: inMemoryEventPublisher(undefined, published),
      clock: {
        now: () => now,
        sleep: async (ms: number) => {
          now += ms;
        },
      },
      newNonce: () => `nonce-${++nonces}`,
      defaultNames: { products: 'sku', orders: 'orderId' } as StoreNames,
      callbackUrl: 'https://api.example/onboarding/callback',
      marketplace: {
        listWarehouses: async ({ storeToken }: { storeToken: string }) => {
          call();
          if (!marketplace.tokens.has(storeToken)) throw refusal('AUTH_014');
          return { data: [{ clientId: 'wh-1' }] };
        },
        createOnboardSession: async ({ redirectUri }: { redirectUri: string }) => {
          call();
          marketplace.redirectUris.push(redirectUri);
          const sid = `sid-${marketplace.redirectUris.length}`;
          return { onboardUrl: `https://seller.example/${sid}`, sid, requestId: 'r-1' };
        },
        unbindStore: async ({ storeClientId }: { storeClientId: string }) => {
          call();
          marketplace.unbound.push(storeClientId);
          return { data: { storeClientId, status: 'unbound' } };
        },
      },
    },
  };
}
