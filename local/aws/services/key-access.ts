import type { AccessControl } from '../gateway/access-control.ts';
import type { Principal } from '../model.ts';
import { account } from '../template/account.ts';

/**
 * A service uses the key of an encrypted resource with the caller's permissions: so the caller also needs permission on the key. The
 * permission may be limited to use through that service (`kms:ViaService`).
 */
export function requireKey(
  access: AccessControl,
  principal: Principal,
  operation: 'Decrypt' | 'GenerateDataKey',
  key: { arn: string | undefined; service: string },
): void {
  if (key.arn === undefined) return;
  access.require(principal, `kms:${operation}`, key.arn, {
    'kms:ViaService': `${key.service}.${account.region}.amazonaws.com`,
    'kms:CallerAccount': account.id,
    'kms:GrantIsForAWSResource': 'false',
  });
}
