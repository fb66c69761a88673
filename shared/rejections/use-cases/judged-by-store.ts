import { unknownStore } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { type Rejection, UNKNOWN_STORE } from '../model.ts';
import { boundedRejection } from '../rules/bounded.ts';

/**
 * The rejections of an event that was rejected before its store was looked up. If the store is not connected, their code becomes
 * `STORE_UNKNOWN`, and the message has their own reason. Rejections with this code are listed without a store.
 */
export async function judgedByStore(
  stores: Pick<StoreTable, 'get'>,
  rejections: readonly Rejection[],
): Promise<readonly Rejection[]> {
  const { storeClientId = UNKNOWN_STORE } = rejections[0] ?? {};
  if (storeClientId === UNKNOWN_STORE || (await stores.get(storeClientId)) !== undefined) return rejections;
  const unknown = unknownStore(storeClientId);
  return rejections.map((one) =>
    boundedRejection({ ...one, ...unknown, message: `${unknown.message}. ${one.code}: ${one.message}` }),
  );
}
