import { describe, expect, test } from 'vitest';
import {
  createMarketplaceClient,
  MarketplaceError,
  type Transport,
  TransportError,
} from '../../../shared/exports/client.ts';

test.each(['', 'marketplace.example', 'https://marketplace.example/api/v1/'])(
  'a client of the base URL "%s" is refused when it is made',
  (baseUrl) => {
    const make = () =>
      createMarketplaceClient({
        baseUrl,
        partnerClientId: 'p',
        secretKey: { read: async () => 'secret' },
        transport: { receive: () => Promise.reject(new Error('not used')) },
        clock: Date,
      });
    expect(make).toThrow(new TypeError(`baseUrl must be a URL without /api/v1, not "${baseUrl}"`));
  },
);

describe("a partner's own transport", () => {
  test.each([
    [false, 'not-sent'],
    [true, 'unknown'],
  ])('reports a failure with sent %s, which becomes the outcome %s', async (sent, outcome) => {
    const transport: Transport = {
      receive: () => Promise.reject(new TransportError('connectFailed', 'the proxy refused', { sent })),
    };
    const client = createMarketplaceClient({
      baseUrl: 'https://marketplace.example',
      partnerClientId: 'p',
      secretKey: { read: async () => 'secret' },
      transport,
      clock: { now: () => 0 },
    });
    const store = { storeClientId: 's', storeToken: 't' };
    const error = await client
      .decideOrders(store, { items: [{ invoiceNumber: 'I', decision: 'accept' }] })
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    expect(error).toBeInstanceOf(MarketplaceError);
    expect(error).toMatchObject({ code: 'CONNECT_FAILED', outcome, message: 'the proxy refused' });
  });
});
