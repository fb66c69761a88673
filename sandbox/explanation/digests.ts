import { createHash, createHmac } from 'node:crypto';

/** A way to compute 32 bytes from a base string; `mistake` is absent for the right one. */
export interface Digest {
  mistake?: string;
  of(base: string): Buffer;
}

export interface Keys {
  secretKey: string;
  partnerClientId: string;
  /** The store token of the request. */
  storeToken: string | undefined;
  /** Secret keys of other partners. */
  otherSecretKeys: readonly string[];
}

/** The right HMAC, then HMACs with a wrong key, then other digests. */
export function digests({ secretKey, partnerClientId, storeToken, otherSecretKeys }: Keys): Digest[] {
  const wrong = (sentence: string, key: string | Buffer): Digest => ({
    mistake: `Wrong secret key: ${sentence}.`,
    of: (base) => hmac(key, base),
  });
  return [
    { of: (base) => hmac(secretKey, base) },
    ...otherSecretKeys.map((other) => wrong("it is another partner's secret key", other)),
    wrong('it is the client ID of the partner', partnerClientId),
    ...(storeToken === undefined ? [] : [wrong('it is the store token', storeToken)]),
    wrong('it is empty', ''),
    wrong('a line feed follows it', `${secretKey}\n`),
    wrong('a carriage return and a line feed follow it', `${secretKey}\r\n`),
    wrong('a space follows it', `${secretKey} `),
    wrong('it is in quotes', `"${secretKey}"`),
    wrong('it is in uppercase', secretKey.toUpperCase()),
    wrong('it was decoded from base64; use its characters as they are', Buffer.from(secretKey, 'base64')),
    wrong('it was decoded from hex; use its characters as they are', Buffer.from(secretKey, 'hex')),
    wrong('it was encoded as base64', Buffer.from(secretKey).toString('base64')),
    wrong('it was hashed with SHA-256', sha256(secretKey)),
    { mistake: 'Key and message of the HMAC are swapped.', of: (base) => hmac(base, secretKey) },
    { mistake: 'A SHA-256 without a key was made; it must be an HMAC.', of: sha256 },
    {
      mistake: 'A SHA-256 of the secret key and the base string was made; it must be an HMAC.',
      of: (base) => sha256(secretKey + base),
    },
    {
      mistake: 'A SHA-256 of the base string and the secret key was made; it must be an HMAC.',
      of: (base) => sha256(base + secretKey),
    },
  ];
}

function hmac(key: string | Buffer, base: string): Buffer {
  return createHmac('sha256', key).update(base).digest();
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
