import { sameSignature, signatureOf } from '../signing.ts';
import { baseStringOf, masked, rightParts } from './base-parts.ts';
import type { Explanation, SignatureCheck } from './explain-signature.ts';

/** Largest allowed difference of the timestamp, in either direction. */
export const SKEW_MS = 300_000;

const UNITS = [
  { unit: 'seconds', ms: 1_000 },
  { unit: 'microseconds', ms: 1 / 1_000 },
  { unit: 'nanoseconds', ms: 1 / 1_000_000 },
];

/** Why the timestamp of a request is refused at `now` (the server's clock, epoch ms); undefined if the timestamp is right. */
export function explainTimestamp(
  { request, signature = '', secretKey }: Omit<SignatureCheck, 'otherSecretKeys'>,
  now: number,
): Explanation | undefined {
  const sent = request.headers['x-timestamp'];
  const timestamp = timestampOf(sent);
  if (timestamp !== undefined && Math.abs(now - timestamp) <= SKEW_MS) return undefined;
  const { sentence, right } = problemOf(sent, timestamp, now);
  const headers = { ...request.headers, 'x-timestamp': String(right) };
  const signedAsSent = sameSignature(signatureOf(secretKey, baseStringOf(rightParts(request))), signature);
  return {
    sentence,
    expected: baseStringOf(rightParts(masked({ ...request, headers }))),
    signed: signedAsSent ? baseStringOf(rightParts(masked(request))) : null,
  };
}

/** The timestamp, epoch ms; undefined if the header is not an integer. */
export function timestampOf(sent: string | undefined): number | undefined {
  return sent !== undefined && /^\d+$/.test(sent) ? Number(sent) : undefined;
}

/** The mistake, and a timestamp that would be right. */
function problemOf(sent: string | undefined, timestamp: number | undefined, now: number) {
  if (sent === undefined) return { sentence: 'The x-timestamp header is missing.', right: now };
  if (timestamp === undefined) {
    return { sentence: 'x-timestamp must be an integer, the UNIX time in milliseconds.', right: now };
  }
  const inUnit = UNITS.find(({ ms }) => Math.abs(now - timestamp * ms) <= SKEW_MS);
  if (inUnit !== undefined) {
    const sentence = `x-timestamp is in ${inUnit.unit}; it must be in milliseconds.`;
    return { sentence, right: Math.round(timestamp * inUnit.ms) };
  }
  const seconds = Math.round(Math.abs(now - timestamp) / 1000);
  const side = timestamp < now ? 'behind' : 'ahead of';
  return {
    sentence: `x-timestamp is ${seconds} seconds ${side} the server's clock; at most 300 are allowed. Sign each request just before it is sent, retries too.`,
    right: now,
  };
}
