import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from '../../marketplace/errors.ts';
import type { Clock } from '../../time/clock.ts';
import type { LiveValues } from '../model.ts';
import type { ListingTable } from '../ports.ts';
import { shownByTarget } from '../rules/live.ts';
import { targetOf } from '../rules/target.ts';
import { recordLive, recordMissing } from './record-live.ts';

type ProductReads = Pick<MarketplaceClient, 'getProduct' | 'getProductBySku' | 'listProducts'>;

export interface RecordingReadsPorts {
  readonly listings: Pick<ListingTable, 'getMany' | 'update'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The marketplace's client, with which every read of a product also records in the product's listings what was seen, and
 * when. A read whose record can't be written fails.
 */
export function recordingReads<Client extends ProductReads>(
  marketplace: Client,
  { listings, clock }: RecordingReadsPorts,
): Client {
  const now = () => new Date(clock.now()).toISOString();
  const orMissing = async <Answer>(
    storeClientId: string,
    { target, at }: { readonly target: string; readonly at: string },
    reading: Promise<Answer>,
  ): Promise<Answer> => {
    try {
      return await reading;
    } catch (error) {
      if (error instanceof MarketplaceError && error.code === PRODUCT_NOT_FOUND) {
        await recordMissing(listings, storeClientId, target, at);
      }
      throw error;
    }
  };
  const record = (storeClientId: string, shown: ReadonlyMap<string, LiveValues>, at: string) =>
    recordLive(listings, storeClientId, shown, at);

  return {
    ...marketplace,

    getProduct: async (store, request, options) => {
      const { storeClientId } = store;
      const at = now();
      const target = targetOf({ id: request.productId });
      const reading = marketplace.getProduct(store, request, options);
      const answer = await orMissing(storeClientId, { target, at }, reading);
      await record(storeClientId, shownByTarget(answer.data), at);
      return answer;
    },

    getProductBySku: async (store, request, options) => {
      const { storeClientId } = store;
      const at = now();
      const reading = marketplace.getProductBySku(store, request, options);
      const answer = await orMissing(storeClientId, { target: targetOf(request), at }, reading);
      await record(storeClientId, shownByTarget(answer.data), at);
      return answer;
    },

    listProducts: async (store, query, options) => {
      const at = now();
      const answer = await marketplace.listProducts(store, query, options);
      const shown = new Map(answer.data.flatMap((product) => [...shownByTarget(product)]));
      await record(store.storeClientId, shown, at);
      return answer;
    },
  };
}
