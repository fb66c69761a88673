import { createMarketplaceClient, type MarketplaceClient } from '../../shared/marketplace/client.ts';
import { createHttpTransport } from '../../shared/marketplace/transport.ts';
import type { OtherMarketplace } from './connector-run.ts';

/** Lets `use` call a marketplace directly with the connector's own client. */
export async function withDirectClient<Result>(
  { baseUrl, partnerClientId, partnerSecretKey }: OtherMarketplace,
  use: (client: MarketplaceClient) => Promise<Result>,
): Promise<Result> {
  const transport = createHttpTransport();
  const secretKey = { read: async () => partnerSecretKey };
  try {
    return await use(
      createMarketplaceClient({ baseUrl, partnerClientId, secretKey, transport, clock: Date }),
    );
  } finally {
    await transport.close();
  }
}
