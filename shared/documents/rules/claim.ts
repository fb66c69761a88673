import type { DocumentClaim } from '../model.ts';

/** Milliseconds after which whoever began to fetch a document is surely gone: longer than its function may run. */
export const FETCHER_LIFETIME_MS = 90_000;

/** The claim as `holder` makes it; `undefined` while somebody else fetches the document. */
export function claimed(
  current: DocumentClaim | undefined,
  holder: string,
  now: number,
): DocumentClaim | undefined {
  const isFree = current?.holder === undefined || current.until <= now;
  return isFree ? { holder, until: now + FETCHER_LIFETIME_MS } : undefined;
}

/** The claim when its holder has done; `undefined` when it is somebody else's. */
export function givenBack(current: DocumentClaim | undefined, holder: string): DocumentClaim | undefined {
  return current?.holder === holder ? { until: current.until } : undefined;
}
