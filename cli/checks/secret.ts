import { type SignedSelfTest, signedSelfTestSchema } from '../../shared/marketplace/webhooks/self-test.ts';
import type { ApiClient } from '../clients/api-client.ts';
import { ApiError } from '../errors.ts';
import { type Found, ok } from './finding.ts';
import { failedCall } from './marketplace.ts';

/** A webhook that the stack has signed with the partner's secret, and drops. */
export async function signedSelfTest(api: ApiClient): Promise<SignedSelfTest> {
  return api.call(signedSelfTestSchema, 'POST', ['webhooks', 'self-test']);
}

/** Whether the partner has put a key into the secret. */
export async function secretFinding(api: ApiClient): Promise<Found> {
  try {
    await signedSelfTest(api);
    return ok('the secret has a key to sign with');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return failedCall(error);
  }
}
