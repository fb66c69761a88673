import { type MarketplaceClient, marketplaceClientOver } from '../marketplace/client.ts';
import { connectCall, type MarketplaceEnvironment, type MarketplaceOptions } from './marketplace.ts';

/** All endpoints of the marketplace over `connectCall`; a function that needs a few of them takes those alone. */
export async function connectMarketplace(
  environment: MarketplaceEnvironment,
  options?: MarketplaceOptions,
): Promise<MarketplaceClient> {
  return marketplaceClientOver(await connectCall(environment, options));
}
