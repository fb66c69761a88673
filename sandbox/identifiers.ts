import { createHash, randomUUID } from 'node:crypto';

/** Makes the marketplace's UUIDs. */
export type NewId = () => string;

/** A UUID derived from a name, for fixtures that clients may rely on. */
export function namedUuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}

/** Random UUIDs; with a seed, the same sequence in every run. */
export function idSequence(seed?: number): NewId {
  if (seed === undefined) return randomUUID;
  let count = 0;
  return () => {
    count += 1;
    return namedUuid(`${seed}/${count}`);
  };
}
