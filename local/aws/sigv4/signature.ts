import { createHash, createHmac } from 'node:crypto';
import type { Claim } from './claim.ts';

const KEYS_KEPT = 200;
const signingKeys = new Map<string, Buffer>();

/** The signature, in hex, that the holder of the secret gives this canonical request. */
export function signatureOf(canonical: string, claim: Claim, secretAccessKey: string): string {
  const scope = `${claim.day}/${claim.region}/${claim.service}/aws4_request`;
  const stringToSign = ['AWS4-HMAC-SHA256', claim.timestamp, scope, sha256Hex(canonical)].join('\n');
  return hmac(signingKey(claim, secretAccessKey), stringToSign).toString('hex');
}

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** The signing key, made by four HMACs. It stays the same for a day, so it is kept: the HMACs cost more than the rest of a check. */
function signingKey({ day, region, service }: Claim, secretAccessKey: string): Buffer {
  const name = `${secretAccessKey}\n${day}\n${region}\n${service}`;
  const kept = signingKeys.get(name);
  if (kept !== undefined) return kept;
  const key = [day, region, service, 'aws4_request'].reduce<Buffer>(
    (previous, part) => hmac(previous, part),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
  if (signingKeys.size >= KEYS_KEPT) signingKeys.clear();
  signingKeys.set(name, key);
  return key;
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
