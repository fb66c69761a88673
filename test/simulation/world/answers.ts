import type { TransportResponse } from '../../../shared/marketplace/transport.ts';

/** An answer, and whether its reader can know from it what was done. */
export interface MarketplaceAnswer {
  readonly response: TransportResponse;
  readonly isOutcomeKnown: boolean;
  /** What is still to be done although the answer says otherwise. */
  readonly lateEffect?: () => void;
}

/** A whole answer in JSON. */
export function answer(
  status: number,
  body: object,
  headers: Record<string, string> = {},
): MarketplaceAnswer {
  return { ...raw(status, JSON.stringify(body), 'application/json', headers), isOutcomeKnown: true };
}

/** A refusal in the spec's envelope (§7). */
export function fail(
  status: number,
  code: string,
  context: object = {},
  headers: Record<string, string> = {},
): MarketplaceAnswer {
  return answer(status, { error: { code, message: code, details: { context } } }, headers);
}

/** What nobody can read an outcome from. */
export function raw(
  status: number,
  text: string,
  contentType: string,
  headers: Record<string, string> = {},
): MarketplaceAnswer {
  return {
    response: { status, headers: { 'content-type': contentType, ...headers }, body: Buffer.from(text) },
    isOutcomeKnown: false,
  };
}
