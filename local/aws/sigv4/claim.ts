import { type Refusal, refuse } from './refusal.ts';
import { headerValue, type RequestHeaders, type SigV4Request } from './request.ts';

/** The facts that a request states about its signature, not verified. */
export interface Claim {
  accessKeyId: string;
  /** `YYYYMMDD` of the credential scope. */
  day: string;
  region: string;
  service: string;
  /** Lower case, in the order in which they were signed. */
  signedHeaders: readonly string[];
  signature: string;
  /** `YYYYMMDDTHHMMSSZ`. */
  timestamp: string;
  sessionToken: string | undefined;
  /** Lifetime of a presigned URL in seconds; undefined when the signature came in a header. */
  expiresSeconds: number | undefined;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const LONGEST_EXPIRY_SECONDS = 7 * 24 * 60 * 60;

/** Reads the claim from the Authorization header, or from the query of a presigned URL. */
export function readClaim(request: SigV4Request): Claim | Refusal {
  const authorization = headerValue(request.headers, 'authorization');
  if (authorization !== undefined) return readHeaderClaim(authorization, request.headers);
  const query = new URLSearchParams(request.rawQuery);
  if (query.has('X-Amz-Signature') || query.has('X-Amz-Algorithm')) return readPresignedClaim(query);
  return refuse('MissingAuthentication', 'The request carries no AWS Signature Version 4.');
}

function readHeaderClaim(authorization: string, headers: RequestHeaders): Claim | Refusal {
  if (!authorization.startsWith(`${ALGORITHM} `)) {
    return refuse('IncompleteSignature', `The Authorization header does not start with ${ALGORITHM}.`);
  }
  const fields = new Map<string, string>();
  for (const part of authorization.slice(ALGORITHM.length).split(',')) {
    const equals = part.indexOf('=');
    if (equals > 0) fields.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return complete({
    credential: fields.get('Credential'),
    signedHeaders: fields.get('SignedHeaders'),
    signature: fields.get('Signature'),
    timestamp: headerValue(headers, 'x-amz-date'),
    sessionToken: headerValue(headers, 'x-amz-security-token'),
    expiresSeconds: undefined,
  });
}

function readPresignedClaim(query: URLSearchParams): Claim | Refusal {
  if (query.get('X-Amz-Algorithm') !== ALGORITHM) {
    return refuse('IncompleteSignature', `X-Amz-Algorithm has to be ${ALGORITHM}.`);
  }
  const expiresSeconds = Number(query.get('X-Amz-Expires') ?? Number.NaN);
  if (!Number.isInteger(expiresSeconds) || expiresSeconds < 1 || expiresSeconds > LONGEST_EXPIRY_SECONDS) {
    return refuse('IncompleteSignature', `X-Amz-Expires has to be 1 to ${LONGEST_EXPIRY_SECONDS} seconds.`);
  }
  return complete({
    credential: query.get('X-Amz-Credential') ?? undefined,
    signedHeaders: query.get('X-Amz-SignedHeaders') ?? undefined,
    signature: query.get('X-Amz-Signature') ?? undefined,
    timestamp: query.get('X-Amz-Date') ?? undefined,
    sessionToken: query.get('X-Amz-Security-Token') ?? undefined,
    expiresSeconds,
  });
}

interface ClaimParts {
  credential: string | undefined;
  signedHeaders: string | undefined;
  signature: string | undefined;
  timestamp: string | undefined;
  sessionToken: string | undefined;
  expiresSeconds: number | undefined;
}

function complete(parts: ClaimParts): Claim | Refusal {
  const { credential, signedHeaders, signature, timestamp, sessionToken, expiresSeconds } = parts;
  if (!credential || !signedHeaders || !signature || !timestamp) {
    return refuse(
      'IncompleteSignature',
      'Credential, SignedHeaders, Signature and X-Amz-Date are all needed.',
    );
  }
  if (!/^\d{8}T\d{6}Z$/.test(timestamp)) {
    return refuse('IncompleteSignature', 'X-Amz-Date has to be written YYYYMMDDTHHMMSSZ.');
  }
  // Read from the right: an access key ID may contain a slash, the parts of a scope may not.
  const scope = credential.split('/');
  const [day, region, service, terminator] = scope.slice(-4);
  const accessKeyId = scope.slice(0, -4).join('/');
  if (!accessKeyId || !day || !region || !service || terminator !== 'aws4_request') {
    return refuse('IncompleteSignature', 'Credential has to be KEY/DATE/REGION/SERVICE/aws4_request.');
  }
  if (day !== timestamp.slice(0, 8)) {
    return refuse('IncompleteSignature', `The scope's date ${day} is not that of X-Amz-Date ${timestamp}.`);
  }
  const names = signedHeaders.split(';');
  return {
    accessKeyId,
    day,
    region,
    service,
    signedHeaders: names,
    signature,
    timestamp,
    sessionToken,
    expiresSeconds,
  };
}
