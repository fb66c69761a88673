import { clientOver, type MarketplaceClient } from '../marketplace/client.ts';
import { connectCall, type MarketplaceEnvironment, type MarketplaceOptions } from './marketplace-call.ts';

/** The marketplace's client with all its endpoints; see `connectCall`. */
export async function connectMarketplace(
  environment: MarketplaceEnvironment,
  options?: MarketplaceOptions,
): Promise<MarketplaceClient> {
  return clientOver(await connectCall(environment, options));
}
