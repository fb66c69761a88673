import { ApiError } from '../errors.ts';
import { type Explanation, explainSignature } from '../explanation/explain-signature.ts';
import { explainTimestamp, timestampOf } from '../explanation/explain-timestamp.ts';
import type { SignedHeaders, SignedRequest } from '../signing.ts';
import type { Marketplace } from '../state/marketplace.ts';
import type { Partner, Store } from '../state/store.ts';

interface AuthenticationInput {
  marketplace: Marketplace;
  request: SignedRequest;
  /** The `x-signature` header. */
  signature: string | undefined;
  /** The server's clock, epoch ms. */
  now: number;
  /** Called with the reason if the timestamp or the signature is wrong. */
  onRefusal(explanation: Explanation): void;
}

/**
 * Checks the partner's ID (AUTH_011), the timestamp (AUTH_003) and the signature (AUTH_010), in this order, so that each
 * code can occur. A missing header gives the same code as a wrong one.
 * @throws ApiError
 */
export function authenticatePartner(input: AuthenticationInput): Partner {
  const { marketplace, request, signature, now } = input;
  const partner = marketplace.partners.get(request.headers['x-partner-client-id'] ?? '');
  if (partner === undefined) throw new ApiError('AUTH_011');
  const { secretKey } = partner;
  const wrongTime = explainTimestamp({ request, signature, secretKey }, now);
  if (wrongTime !== undefined) {
    input.onRefusal(wrongTime);
    throw timestampError(request.headers['x-timestamp'], now, wrongTime.sentence);
  }
  const otherSecretKeys = [...marketplace.partners.values()]
    .filter((other) => other !== partner)
    .map((other) => other.secretKey);
  const wrongSignature = explainSignature({ request, signature, secretKey, otherSecretKeys });
  if (wrongSignature !== undefined) {
    input.onRefusal(wrongSignature);
    throw new ApiError('AUTH_010', { hint: wrongSignature.sentence });
  }
  return partner;
}

/**
 * The store of a correctly signed request. AUTH_014 if the store is unknown, blocked, unbound or another partner's, or if the token is
 * wrong or missing.
 * @throws ApiError
 */
export function authenticateStore(marketplace: Marketplace, partner: Partner, headers: SignedHeaders): Store {
  const store = marketplace.stores.get(headers['x-store-client-id'] ?? '');
  const mayUse =
    store !== undefined &&
    store.partnerClientId === partner.clientId &&
    store.state === 'connected' &&
    !store.blocked &&
    store.token === headers['x-store-token'];
  if (!mayUse) throw new ApiError('AUTH_014');
  return store;
}

function timestampError(sent: string | undefined, now: number, hint: string): ApiError {
  const timestamp = timestampOf(sent);
  return new ApiError('AUTH_003', {
    hint,
    context: {
      providedTimestamp: timestamp ?? sent ?? null,
      currentTime: now,
      ageSeconds: timestamp === undefined ? null : Math.round((now - timestamp) / 1000),
    },
  });
}
