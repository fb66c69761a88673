import type { AccessControl } from '../gateway/access-control.ts';
import type { Principal } from '../model.ts';
import { account } from '../template/account.ts';

/**
 * What a service does with the key of an encrypted resource is done in the caller's name: the caller needs the
 * permission on the key too, given directly or limited to the way through that service (`kms:ViaService`).
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
