import { createHttpTransport, createMarketplaceClient, MarketplaceError } from 'marketplace-connector/client';

const { MARKETPLACE_BASE_URL = 'http://127.0.0.1:4568', PARTNER_SECRET_KEY = 'sandbox-partner-secret' } =
  process.env;
const transport = createHttpTransport();
const client = createMarketplaceClient({
  baseUrl: MARKETPLACE_BASE_URL,
  partnerClientId: 'sandbox-partner',
  secretKey: { read: async () => PARTNER_SECRET_KEY },
  transport,
  clock: Date,
});
const store = { storeClientId: 'store-0wh', storeToken: 'token-store-0wh' };
try {
  const { data } = await client.getProductBySku(store, { sku: 'DEMO-1' });
  console.log(`${data.sku}: ${data.stock}`);
} catch (error) {
  if (!(error instanceof MarketplaceError)) throw error;
  console.log(`${error.code}: ${error.message}`);
} finally {
  await transport.close();
}
