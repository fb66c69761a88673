import type { Permit, Permits, Place } from '../../../shared/limits/ports.ts';
import { createMarketplaceClient } from '../../../shared/marketplace/client.ts';
import type { MarketplaceClientOptions } from '../../../shared/marketplace/options.ts';
import type { TransportRequest, TransportResponse } from '../../../shared/marketplace/transport.ts';
import { wholeAnswers } from '../../doubles/whole-answers.ts';

export const NOW = Date.UTC(2026, 0, 1);
export const STORE = { storeClientId: 'store-1wh', storeToken: 'token-store-1wh' };

type Answer = TransportResponse | Error;

/** A JSON answer. */
export function answer(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): TransportResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** An error envelope (§1). */
export function refusal(status: number, code: string, context?: object, headers?: Record<string, string>) {
  const details = context && { timestamp: new Date(NOW).toISOString(), context };
  return answer(
    status,
    { success: false, error: { code, message: code, details }, requestId: 'r-1' },
    headers,
  );
}

/** A limit with a permit for every request; `release` is called with their outcomes. */
export function permitsGiving(release: Permit['release']): Permits {
  const giveBack = async () => {};
  const placeAt = (at: number): Place => ({ at, begin: async () => ({ release }), giveBack });
  return { reserve: async () => placeAt(NOW) };
}

/** A client whose requests are recorded and answered from a list, in order. */
export function clientAnswering(answers: Answer[], options: Partial<MarketplaceClientOptions> = {}) {
  const sent: TransportRequest[] = [];
  const slept: number[] = [];
  const client = createMarketplaceClient({
    baseUrl: 'https://marketplace.example',
    partnerClientId: 'sandbox-partner',
    secretKey: { read: async () => 'sandbox-partner-secret' },
    transport: wholeAnswers(async (request) => {
      sent.push(request);
      const next = answers.shift();
      if (next === undefined) throw new Error('the client sent more requests than the test expects');
      if (next instanceof Error) throw next;
      return next;
    }),
    clock: { now: () => NOW },
    random: () => 0.5,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
    },
    ...options,
  });
  return { client, sent, slept };
}
