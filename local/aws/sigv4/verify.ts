import { timingSafeEqual } from 'node:crypto';
import type { Credentials } from '../model.ts';
import { canonicalRequest } from './canonical-request.ts';
import { type Claim, readClaim } from './claim.ts';
import { type Refusal, refuse } from './refusal.ts';
import { headerValue, type SigV4Request } from './request.ts';
import { sha256Hex, signatureOf } from './signature.ts';

export interface VerifiedRequest {
  ok: true;
  accessKeyId: string;
  region: string;
  service: string;
}

/** S3 allows a clock to be wrong by 15 minutes, the other services by 5. */
const SKEW_MS = { s3: 15 * 60_000, others: 5 * 60_000 };

/**
 * Verifies the AWS Signature Version 4 of a request, given in its Authorization header or in a presigned URL.
 * Nothing in the request may be trusted before the result is `ok`.
 *
 * Of an S3 upload in `aws-chunked` encoding only the seed signature is verified, not the signatures of the single chunks.
 *
 * @param lookupSecret the credentials of an access key ID, undefined when there is no such key. If the credentials have a session token,
 * the request must have the same token
 * @param now epoch milliseconds
 */
export function verifySigV4(
  request: SigV4Request,
  lookupSecret: (accessKeyId: string) => Omit<Credentials, 'accessKeyId'> | undefined,
  now: number,
): VerifiedRequest | Refusal {
  const claim = readClaim(request);
  if ('ok' in claim) return claim;
  const { accessKeyId, region, service } = claim;
  if (request.service !== undefined && request.service !== service) {
    return refuse(
      'WrongService',
      `Credential should be scoped to service '${request.service}', not '${service}'.`,
    );
  }
  const secret = lookupSecret(accessKeyId);
  if (secret === undefined || secret.sessionToken !== claim.sessionToken) {
    return refuse(
      'UnrecognizedClient',
      'The access key ID or the security token of the request is not valid.',
    );
  }
  return (
    refuseUnsignedHeaders(request, claim) ??
    refuseTime(claim, now) ??
    refuseSignature(request, claim, secret.secretAccessKey) ?? { ok: true, accessKeyId, region, service }
  );
}

function refuseUnsignedHeaders(request: SigV4Request, claim: Claim): Refusal | undefined {
  const signed = new Set(claim.signedHeaders);
  const missing = signed.has('host') ? [] : ['host'];
  for (const name of Object.keys(request.headers)) {
    const mustBeSigned = name === 'x-amz-date' || (claim.service === 's3' && name.startsWith('x-amz-'));
    if (mustBeSigned && request.headers[name] !== undefined && !signed.has(name)) missing.push(name);
  }
  if (missing.length === 0) return undefined;
  return refuse('IncompleteSignature', `Headers that have to be signed are not: ${missing.join(', ')}.`);
}

function refuseTime(claim: Claim, now: number): Refusal | undefined {
  const signedAt = Date.parse(
    claim.timestamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  if (Number.isNaN(signedAt)) return refuse('IncompleteSignature', `${claim.timestamp} is not a time.`);
  const skew = claim.service === 's3' ? SKEW_MS.s3 : SKEW_MS.others;
  const lifetime = claim.expiresSeconds === undefined ? skew : claim.expiresSeconds * 1000;
  if (now > signedAt + lifetime) return refuse('Expired', `Signature of ${claim.timestamp} has expired.`);
  if (now < signedAt - skew)
    return refuse('NotYetValid', `Signature of ${claim.timestamp} is not yet valid.`);
  return undefined;
}

function refuseSignature(request: SigV4Request, claim: Claim, secretAccessKey: string): Refusal | undefined {
  const payloadHash = hashOfPayload(request, claim);
  if (payloadHash === undefined) {
    return refuse('PayloadMismatch', 'x-amz-content-sha256 is not the hash of the body.');
  }
  let canonical: string;
  try {
    canonical = canonicalRequest(request, { ...claim, payloadHash });
  } catch {
    return refuse('SignatureMismatch', 'The path or the query holds malformed percent-encoding.');
  }
  const expected = Buffer.from(signatureOf(canonical, claim, secretAccessKey));
  const given = Buffer.from(claim.signature);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return undefined;
  return refuse('SignatureMismatch', 'The signature is not the one calculated from the request and its key.');
}

/** The payload's line of the canonical request; undefined when the request states a hash that does not match its body. */
function hashOfPayload(request: SigV4Request, claim: Claim): string | undefined {
  const stated = headerValue(request.headers, 'x-amz-content-sha256');
  if (claim.service === 's3') {
    if (stated === 'UNSIGNED-PAYLOAD' || stated?.startsWith('STREAMING-')) return stated;
    if (stated === undefined && claim.expiresSeconds !== undefined) return 'UNSIGNED-PAYLOAD';
  }
  const actual = sha256Hex(request.body);
  return stated === undefined || stated === actual ? actual : undefined;
}
