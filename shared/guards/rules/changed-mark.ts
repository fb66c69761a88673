import { createHash } from 'node:crypto';

const DIGEST_BYTES = 6;
/** Characters of a digest in base64url. */
const DIGEST_LENGTH = 8;

/** A target whose price has changed by too much: its digest, and the second in base 36. `at` is epoch ms. */
export function writeMark(target: string, at: number): string {
  return `${digestOf(target)}${Math.floor(at / 1000).toString(36)}`;
}

export function digestOf(target: string): string {
  return createHash('sha256').update(target).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}

export function digestIn(mark: string): string {
  return mark.slice(0, DIGEST_LENGTH);
}

/** Epoch ms. */
export function timeIn(mark: string): number {
  return Number.parseInt(mark.slice(DIGEST_LENGTH), 36) * 1000;
}
