import { ApiError } from '../errors.ts';
import {
  baseString,
  type SignedHeaders,
  type SignedRequest,
  sameSignature,
  signatureOf,
} from '../signing.ts';
import type { Marketplace } from '../state/marketplace.ts';
import type { SignatureTrace } from '../state/request-log.ts';
import type { Partner, Store } from '../state/store.ts';
import { diagnose } from './diagnosis.ts';
import { traceSignature } from './signature-trace.ts';

/** The timestamp may be 5 minutes off, either way. */
const SKEW_MS = 300_000;

interface AuthenticationInput {
  marketplace: Marketplace;
  request: SignedRequest;
  /** The `x-signature` header. */
  signature: string | undefined;
  /** The server's clock, epoch ms. */
  now: number;
  /** Told what was signed, where a signature is wrong. */
  onBadSignature(trace: SignatureTrace): void;
}

/**
 * Checks the partner's part of a request: who it is (AUTH_011), when it was signed (AUTH_003) and the signature
 * (AUTH_010), in this order, so that each code can be reached. A missing header gives the code of what it carries.
 * @throws ApiError
 */
export function authenticatePartner(input: AuthenticationInput): Partner {
  const { marketplace, request, signature, now } = input;
  const partner = marketplace.partners.get(request.headers['x-partner-client-id'] ?? '');
  if (partner === undefined) throw new ApiError('AUTH_011');
  checkTimestamp(request.headers['x-timestamp'], now);
  const base = baseString(request);
  if (signature === undefined || !sameSignature(signatureOf(partner.secretKey, base), signature)) {
    const hint = diagnose(partner.secretKey, request, signature);
    input.onBadSignature(traceSignature(request, signature, hint));
    throw new ApiError('AUTH_010', { hint });
  }
  return partner;
}

/**
 * The store that a correctly signed request names; AUTH_014 when it is unknown, blocked, unbound or another
 * partner's, or when its token is wrong or missing.
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

function checkTimestamp(sent: string | undefined, now: number): void {
  const timestamp = sent !== undefined && /^\d+$/.test(sent) ? Number(sent) : undefined;
  if (timestamp !== undefined && Math.abs(now - timestamp) <= SKEW_MS) return;
  throw new ApiError('AUTH_003', {
    context: {
      providedTimestamp: timestamp ?? sent ?? null,
      currentTime: now,
      ageSeconds: timestamp === undefined ? null : Math.round((now - timestamp) / 1000),
    },
  });
}
