import * as z from 'zod';
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

/** The marketplace refused the call. */
const answered = z.object({ marketplace: z.object({ outcome: z.literal('refused') }) });

/** What to do about a call of the stack that failed. */
export function failedCall({ code, message, details }: ApiError): Found {
  if (/^(AUTH_01[01]|SECRET_)/.test(code))
    return fault(
      code.startsWith('SECRET_')
        ? `${code}: ${message}`
        : `the marketplace refuses the partner's credentials: ${code}: ${message}`,
      'Put the right secret key into the secret of the output PartnerSecretArn.',
    );
  if (/^(STORE_NOT_CONNECTED|TABLES_RESTORED)$/.test(code)) return fault(message, 'See `status`.');
  if (code === 'LIMIT_REACHED')
    return fault(
      `the marketplace was not called: ${code}: ${message}`,
      'The first line of `status` says whether it asked to wait.',
    );
  if (code === 'INTERNAL')
    return fault(`the stack failed: ${message}`, 'The log of the operations-api says more.');
  // Another server than the marketplace has no such codes.
  if (answered.safeParse(details).success && !code.startsWith('HTTP_'))
    return fault(
      `the marketplace answers ${code}: ${message}`,
      'The first line of `status` says how many requests fail, and since when.',
    );
  return fault(
    `the marketplace cannot be called: ${code}: ${message}`,
    'Is the base URL of the marketplace right, and does it answer?',
  );
}
