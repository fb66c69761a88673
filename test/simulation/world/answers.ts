import type { TransportResponse } from '../../../shared/marketplace/transport.ts';

/** An answer, and whether its reader can know the outcome from it. */
export interface MarketplaceAnswer {
  readonly response: TransportResponse;
  readonly isOutcomeKnown: boolean;
  /** An effect that happens later, although the answer says otherwise. */
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

/** An answer that does not show an outcome. */
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
