import { baseString, signatureOf, signedHeadersOf } from '../../../sandbox/signing.ts';
import type { TransportRequest } from '../../../shared/marketplace/transport.ts';
import type { Simulation } from '../engine/simulation.ts';
import { answer, fail, type MarketplaceAnswer, raw } from './answers.ts';

/** Milliseconds by which a timestamp may be off (§8). */
const TIMESTAMP_TOLERANCE_MS = 300_000;

/** Other refusals of a whole request that no row causes. */
const OTHER_REFUSALS = [
  [401, 'AUTH_011'],
  [404, 'STORE_020'],
  [409, 'STORE_021'],
  [404, 'NOT_FOUND'],
] as const;

/** The stores with valid credentials. */
interface KnownStore {
  readonly storeClientId: string;
  readonly storeToken: string;
}

/** The front of every simulated endpoint: it checks credentials and makes requests fail (§7). */
export class MarketplaceGate {
  /** How far its clock is ahead of the true time, in milliseconds. */
  clockOffsetMs = 0;
  secretKey = 'secret-1';
  readonly blocked = new Set<string>();
  readonly #simulation: Simulation;
  readonly #stores: ReadonlyMap<string, KnownStore>;

  constructor(simulation: Simulation, stores: readonly KnownStore[]) {
    this.#simulation = simulation;
    this.#stores = new Map(stores.map((store) => [store.storeClientId, store]));
  }

  /** The answer to a request with a wrong signature or of a store without access. */
  refuse(request: TransportRequest): MarketplaceAnswer | undefined {
    const { method, url, headers, body = new Uint8Array() } = request;
    const store = this.#stores.get(headers['x-store-client-id'] ?? '');
    const now = this.#simulation.now + this.clockOffsetMs;
    if (Math.abs(Number(headers['x-timestamp']) - now) > TIMESTAMP_TOLERANCE_MS) {
      return fail(401, 'AUTH_003', { currentTime: Math.floor(now) });
    }
    const signed = {
      method,
      path: new URL(url).pathname,
      headers: signedHeadersOf((name) => headers[name]),
      body,
    };
    if (signatureOf(this.secretKey, baseString(signed)) !== headers['x-signature'])
      return fail(401, 'AUTH_010');
    const isRight = store !== undefined && headers['x-store-token'] === store.storeToken;
    return isRight && !this.blocked.has(store.storeClientId) ? undefined : fail(403, 'AUTH_014');
  }

  /**
   * As `disturb`. The answer may also tell nothing of its rows, whether they had an effect or not.
   *
   * @param onBare gets the `requestId` of such an answer.
   */
  disturbBulk(effect: () => MarketplaceAnswer, onBare?: (requestId: string) => void): MarketplaceAnswer {
    const { faults, random } = this.#simulation;
    if (!faults.strikes('answer without data')) return this.disturb(effect);
    const requestId = this.#simulation.newId('request');
    onBare?.(requestId);
    if (random.chance(0.5)) effect();
    const rest = random.pick([{}, { data: null }, { data: {} }]);
    return { ...answer(200, { success: true, requestId, ...rest }), isOutcomeKnown: false };
  }

  /** Fails before or after the effect, as the seed decides. */
  disturb(effect: () => MarketplaceAnswer): MarketplaceAnswer {
    const { faults, random } = this.#simulation;
    if (faults.strikes('429 with Retry-After')) {
      return fail(429, 'RATE_LIMITED', {}, { 'retry-after': String(random.integer(1, 5)) });
    }
    if (faults.strikes('503 SYS_DEP_503')) return fail(503, 'SYS_DEP_503');
    if (faults.strikes('request refused without a bad row')) {
      const [status, code] = random.pick(OTHER_REFUSALS);
      return fail(status, code);
    }
    if (faults.strikes('504 SYS_UPS_001 before the effect')) {
      return { ...fail(504, 'SYS_UPS_001'), isOutcomeKnown: false, lateEffect: effect };
    }
    const done = effect();
    if (faults.strikes('504 SYS_UPS_001 after the effect')) {
      return { ...fail(504, 'SYS_UPS_001'), isOutcomeKnown: false };
    }
    if (faults.strikes('500 without an envelope')) return raw(500, 'oops', 'text/plain');
    return faults.strikes('answer is not JSON') ? raw(200, '{"success":', 'application/json') : done;
  }
}
