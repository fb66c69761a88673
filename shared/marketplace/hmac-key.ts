import { createSecretKey, type KeyObject } from 'node:crypto';

/** More secrets than a rotation has at a time. */
const MAX_KEYS = 16;

/**
 * Makes the HMAC key of a secret once and keeps it: making it costs several times as much as one HMAC of a short text.
 *
 * @param bytesOf the key's bytes
 */
export function hmacKeys(bytesOf: (secret: string) => Uint8Array): (secret: string) => KeyObject {
  const keys = new Map<string, KeyObject>();
  return (secret) => {
    const known = keys.get(secret);
    if (known) return known;
    if (keys.size === MAX_KEYS) keys.clear();
    const key = createSecretKey(bytesOf(secret));
    keys.set(secret, key);
    return key;
  };
}
