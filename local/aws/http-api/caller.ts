import type { AccessDecision, KnownCredentials, Principal } from '../model.ts';
import type { RequestHeaders } from '../sigv4/request.ts';
import { verifySigV4 } from '../sigv4/verify.ts';

export interface CallerCheck {
  region: string;
  accountId: string;
  apiId: string;
  clock: { now(): number };
  /** The credentials of an access key ID with their principal; undefined when the ID is unknown. */
  lookupCredentials(accessKeyId: string): KnownCredentials | undefined;
  /** Whether the principal's policies allow an action on a resource. */
  authorize(principal: Principal, action: string, resource: string): AccessDecision;
}

export interface Caller {
  accessKeyId: string;
  principal: Principal;
}

interface SignedRequest {
  method: string;
  rawPath: string;
  rawQuery: string;
  /** The decoded path, as in the ARN of the permission. */
  path: string;
  headers: RequestHeaders;
  body: Uint8Array;
}

/** IAM authorization: a signature for `execute-api`, and `execute-api:Invoke` allowed for method and path. */
export function checkCaller(request: SignedRequest, check: CallerCheck): Caller | { refused: string } {
  const verified = verifySigV4(
    { ...request, service: 'execute-api' },
    (accessKeyId) => check.lookupCredentials(accessKeyId)?.credentials,
    check.clock.now(),
  );
  if (!verified.ok) return { refused: verified.message };
  const { accessKeyId } = verified;
  const known = check.lookupCredentials(accessKeyId);
  if (known === undefined) return { refused: `The credentials of ${accessKeyId} are gone.` };
  const api = `arn:aws:execute-api:${check.region}:${check.accountId}:${check.apiId}`;
  const resource = `${api}/$default/${request.method}${request.path}`;
  const decision = check.authorize(known.principal, 'execute-api:Invoke', resource);
  return decision.allowed ? { accessKeyId, principal: known.principal } : { refused: decision.reason };
}
