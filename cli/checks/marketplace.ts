import { storeViewSchema } from '../../shared/stores/model.ts';
import type { ApiClient } from '../clients/api-client.ts';
import { allPages } from '../clients/pages.ts';
import { ApiError } from '../errors.ts';
import { type Found, fault, ok } from './finding.ts';

/** Calls the marketplace by the stack: with the credentials of a connected store, as the search for brands takes none. */
export async function marketplaceFinding(api: ApiClient): Promise<Found> {
  const stores = await allPages(api, ['stores'], { stores: storeViewSchema });
  const store = stores.find(({ state }) => state === 'connected');
  try {
    if (store === undefined) await api.text('GET', ['brands'], { query: { limit: 1 } });
    else await api.text('GET', ['stores', store.storeClientId, 'warehouses']);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return failedCall(error);
  }
  if (store !== undefined) return ok("the marketplace takes the partner's client ID and secret key");
  return {
    state: 'warning',
    message: "the marketplace answers; the partner's credentials are only tried with a connected store",
    hint: 'Connect one: `stores connect`.',
  };
}

/** What to do about a call of the stack that failed. */
export function failedCall({ code, message }: ApiError): Found {
  if (/^(AUTH_01[01]|SECRET_)/.test(code))
    return fault(
      code.startsWith('SECRET_')
        ? `${code}: ${message}`
        : `the marketplace refuses the partner's credentials: ${code}: ${message}`,
      'Put the right secret key into the secret of the output PartnerSecretArn.',
    );
  if (code === 'STORE_NOT_CONNECTED') return fault(message, 'See `status`.');
  if (code === 'INTERNAL')
    return fault(`the stack failed: ${message}`, 'The log of the operations-api says more.');
  return fault(
    `the marketplace cannot be called: ${code}: ${message}`,
    'Is the base URL of the marketplace right, and does it answer?',
  );
}
