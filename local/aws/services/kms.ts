import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { AccessControl } from '../gateway/access-control.ts';
import { AwsError, type AwsService, jsonBody, jsonOperation, jsonResponse } from '../gateway/messages.ts';
import { account, arn } from '../template/account.ts';

/** A customer-managed key of the stack. */
export interface KeyDefinition {
  readonly id: string;
  readonly arn: string;
}

const ivBytes = 12;
const tagBytes = 16;
const idBytes = 36;

/**
 * The operations of KMS that the stack and its clients use. Ciphertexts can be decrypted as long as the run lasts. As at AWS, a
 * ciphertext names its key, so that Decrypt finds the key.
 */
export function createKmsService(options: {
  access: AccessControl;
  keys: readonly KeyDefinition[];
}): AwsService {
  const { access, keys } = options;
  const material = new Map(keys.map(({ id }) => [id, randomBytes(32)]));

  function findKey(name: unknown): KeyDefinition {
    const text = String(name)
      .replace(`${arn('kms', '')}`, '')
      .replace(/^key\//, '');
    const key = keys.find(({ id }) => id === text);
    if (!key) throw new AwsError('NotFoundException', `Key '${String(name)}' does not exist`);
    return key;
  }

  function encrypt(key: KeyDefinition, plaintext: Buffer): Buffer {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', material.get(key.id) ?? Buffer.alloc(0), iv);
    const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([Buffer.from(key.id), iv, cipher.getAuthTag(), encrypted]);
  }

  function decrypt(key: KeyDefinition, ciphertext: Buffer): Buffer {
    const body = ciphertext.subarray(idBytes);
    try {
      const decipher = createDecipheriv(
        'aes-256-gcm',
        material.get(key.id) ?? Buffer.alloc(0),
        body.subarray(0, ivBytes),
      );
      decipher.setAuthTag(body.subarray(ivBytes, ivBytes + tagBytes));
      return Buffer.concat([decipher.update(body.subarray(ivBytes + tagBytes)), decipher.final()]);
    } catch {
      throw new AwsError('InvalidCiphertextException', 'The ciphertext was not made by this key in this run');
    }
  }

  return {
    protocol: 'json',
    async handle(request) {
      const operation = jsonOperation(request);
      const input = jsonBody(request);
      const blob = operation === 'Decrypt' ? Buffer.from(String(input.CiphertextBlob), 'base64') : undefined;
      const key = findKey(blob ? blob.subarray(0, idBytes).toString() : input.KeyId);
      access.require(request.principal, `kms:${operation}`, key.arn, { 'kms:CallerAccount': account.id });
      switch (operation) {
        case 'Encrypt': {
          const ciphertext = encrypt(key, Buffer.from(String(input.Plaintext), 'base64'));
          return jsonResponse({ CiphertextBlob: ciphertext.toString('base64'), KeyId: key.arn });
        }
        case 'Decrypt': {
          const plaintext = decrypt(key, blob ?? Buffer.alloc(0));
          return jsonResponse({ Plaintext: plaintext.toString('base64'), KeyId: key.arn });
        }
        case 'GenerateDataKey': {
          const plaintext = randomBytes(input.KeySpec === 'AES_128' ? 16 : 32);
          return jsonResponse({
            Plaintext: plaintext.toString('base64'),
            CiphertextBlob: encrypt(key, plaintext).toString('base64'),
            KeyId: key.arn,
          });
        }
        case 'DescribeKey':
          return jsonResponse({
            KeyMetadata: {
              KeyId: key.id,
              Arn: key.arn,
              AWSAccountId: account.id,
              Enabled: true,
              KeyState: 'Enabled',
            },
          });
        default:
          throw new AwsError('UnknownOperationException', `The local KMS has no ${operation}`);
      }
    },
  };
}
