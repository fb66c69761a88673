import * as z from 'zod';
import { enveloped } from '../api/answers.ts';
import { type Endpoint, partnerEndpoint } from '../api/endpoint.ts';
import { ApiError } from '../errors.ts';

/** §4.2: revokes the store's token. The seller must onboard again. */
export const unbinding: Endpoint = partnerEndpoint({
  operationId: 'unbindStore',
  section: '4.2',
  summary: 'Unbind store',
  method: 'POST',
  path: '/partner/stores/{storeId}/unbind',
  answer: z.object({ storeClientId: z.string(), status: z.literal('unbound') }),
  envelope: 'enveloped',
  errors: ['STORE_020', 'STORE_021'],
  handle: ({ marketplace, partner, params }) => {
    const storeClientId = params.storeId ?? '';
    const store = marketplace.stores.get(storeClientId);
    if (store === undefined || store.partnerClientId !== partner.clientId) {
      throw new ApiError('STORE_020', { context: { storeClientId } });
    }
    if (store.state === 'unbound') throw new ApiError('STORE_021', { context: { storeClientId } });
    store.state = 'unbound';
    store.token = null;
    return enveloped('Store unbound', { storeClientId, status: 'unbound' });
  },
});
