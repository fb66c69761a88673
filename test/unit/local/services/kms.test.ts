import { expect, test } from 'vitest';
import type { AccessControl } from '../../../../local/aws/gateway/access-control.ts';
import type { AwsRequest } from '../../../../local/aws/gateway/messages.ts';
import { createKmsService } from '../../../../local/aws/services/kms.ts';

const keys = [0, 1].map((index) => ({
  id: `0000000${index}-0000-0000-0000-000000000000`,
  arn: `arn:aws:kms:us-east-1:000000000000:key/0000000${index}-0000-0000-0000-000000000000`,
}));
const principal = { kind: 'role', arn: 'arn:role', sessionArn: 'arn:session', userId: 'AROA' } as const;

function service() {
  const required: string[] = [];
  const access: AccessControl = {
    require: (_principal, action, resource) => required.push(`${action} ${resource}`),
    check: () => ({ allowed: true }),
    checkService: () => ({ allowed: true }),
    setResourcePolicies: () => {},
  };
  const kms = createKmsService({ access, keys });
  const call = async (operation: string, input: object): Promise<Record<string, string>> => {
    const request: AwsRequest = {
      method: 'POST',
      rawPath: '/',
      rawQuery: '',
      headers: { 'x-amz-target': `TrentService.${operation}` },
      body: Buffer.from(JSON.stringify(input)),
      principal,
      requestId: 'id',
      gone: () => false,
    };
    return JSON.parse(String((await kms.handle(request)).body));
  };
  return { call, required };
}

const Plaintext = Buffer.from('secret').toString('base64');

test('a key decrypts its own ciphertexts, which identify it', async () => {
  const { call, required } = service();
  const { CiphertextBlob = '' } = await call('Encrypt', { KeyId: keys[1]?.arn, Plaintext });
  expect(Buffer.from(CiphertextBlob, 'base64').toString()).not.toContain('secret');
  expect(await call('Decrypt', { CiphertextBlob })).toEqual({ Plaintext, KeyId: keys[1]?.arn });
  expect(required).toEqual([`kms:Encrypt ${keys[1]?.arn}`, `kms:Decrypt ${keys[1]?.arn}`]);
});

test('a data key is returned in plaintext and encrypted', async () => {
  const { call } = service();
  const dataKey = await call('GenerateDataKey', { KeyId: keys[0]?.arn, KeySpec: 'AES_256' });
  expect(Buffer.from(dataKey.Plaintext ?? '', 'base64')).toHaveLength(32);
  expect(await call('Decrypt', { CiphertextBlob: dataKey.CiphertextBlob })).toMatchObject({
    Plaintext: dataKey.Plaintext,
  });
});

test('a modified ciphertext is refused', async () => {
  const { call } = service();
  const { CiphertextBlob = '' } = await call('Encrypt', { KeyId: keys[0]?.id, Plaintext });
  const changed = Buffer.from(CiphertextBlob, 'base64');
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  const decrypt = call('Decrypt', { CiphertextBlob: changed.toString('base64') });
  await expect(decrypt).rejects.toMatchObject({ code: 'InvalidCiphertextException' });
});

test('a key that is not in the stack is not found', async () => {
  await expect(service().call('DescribeKey', { KeyId: 'none' })).rejects.toMatchObject({
    code: 'NotFoundException',
  });
});
