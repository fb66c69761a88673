import { type OrderReference, orderViewSchema } from '../../../shared/orders/model.ts';
import type { ApiClient } from '../../clients/api-client.ts';
import { ApiError } from '../../errors.ts';

/** The order by its name. Null if there is no record of it; it can still have documents. */
export async function findOrder(api: ApiClient, storeClientId: string, { ...query }: OrderReference) {
  try {
    return await api.call(orderViewSchema, 'GET', ['stores', storeClientId, 'orders'], { query });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'ORDER_UNKNOWN') return null;
    throw error;
  }
}
