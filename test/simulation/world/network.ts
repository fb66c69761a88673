import { TransportError, type TransportFailure } from '../../../shared/marketplace/errors.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../../shared/marketplace/transport.ts';
import { attemptLifetimeOf } from '../../../shared/time/waits.ts';
import { wholeAnswers } from '../../doubles/whole-answers.ts';
import { PermitGrants } from '../checks/shared-limit.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { MarketplaceAnswer } from './answers.ts';
import type { SentRow } from './sent-rows.ts';

/** A timestamp further than this from the true time was corrected to the marketplace's clock. */
const CORRECTED_MS = 100_000;

/** One request in flight, with everything that the checks know. */
export interface Exchange {
  readonly process: SimulatedProcess;
  readonly storeClientId: string;
  readonly request: TransportRequest;
  /** Its price and stock rows. */
  readonly rows: readonly SentRow[];
  readonly sentAt: number;
  /** True time after which it can no longer land, as docs/architecture.md assumes of the marketplace. */
  readonly mayLandUntil: number;
  /** Whether its sender still waits for the answer. */
  isOpen: boolean;
  /** Whether its sender knows the outcome. */
  isOutcomeKnown: boolean;
}

export interface NetworkEvents {
  onSent(exchange: Exchange): void;
  /** `isLate`: delayed by a fault. */
  onLanded(exchange: Exchange, isLate: boolean): void;
}

/** A request lands within this many seconds after its signature, or never. */
const LANDS_WITHIN_SECONDS = 30;

/** The attempt lifetime in the connector's settings. */
export const ATTEMPT_LIFETIME_MS = attemptLifetimeOf({ attemptLifetimeSeconds: LANDS_WITHIN_SECONDS });

export interface NetworkOptions {
  readonly marketplace: {
    readonly gate: { readonly clockOffsetMs: number };
    handle(request: TransportRequest): MarketplaceAnswer;
  };
  readonly events: NetworkEvents;
  /** The price and stock rows of a request, if the checks need them. */
  readonly rowsOf?: (request: TransportRequest) => readonly SentRow[];
}

/** The network between the connector and the marketplace. */
export class Network {
  readonly exchanges: Exchange[] = [];
  /** The permits of all senders. */
  readonly grants: PermitGrants;
  readonly #simulation: Simulation;
  readonly #options: NetworkOptions;

  constructor(simulation: Simulation, options: NetworkOptions) {
    this.grants = new PermitGrants(simulation);
    this.#simulation = simulation;
    this.#options = options;
  }

  transportOf(process: SimulatedProcess): Transport {
    return wholeAnswers(
      (request) =>
        new Promise((resolve, reject) => {
          if (process.alive) this.#send(process, request, resolve, reject);
        }),
    );
  }

  #send(
    process: SimulatedProcess,
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (error: unknown) => void,
  ): void {
    const exchange = this.#begin(process, request);
    const end = (finish: () => void) => {
      if (!exchange.isOpen || !process.alive) return;
      exchange.isOpen = false;
      finish();
    };
    const fail = (reason: TransportFailure, sent = true) =>
      end(() => {
        if (!sent) exchange.isOutcomeKnown = true;
        this.#simulation.note(process.name, () => `request fails: ${reason}`);
        reject(new TransportError(reason, reason, { sent }));
      });
    process.later(request.timeoutMs, () => fail('timeout'));
    request.signal?.addEventListener('abort', () => fail('aborted'), { once: true });

    const { faults, random, scheduler } = this.#simulation;
    if (faults.strikes('crash while a request is in flight')) {
      scheduler.after(random.integer(0, 1_000), () => process.kill('crash while a request is in flight'));
    }
    if (faults.strikes('connection refused')) {
      process.later(random.integer(1, 100), () => fail('connectFailed', false));
    } else if (faults.strikes('connection cut before the effect')) {
      process.later(random.integer(1, 500), () => fail('connectionCut'));
    } else {
      this.#carry(exchange, request, ({ response, isOutcomeKnown }) => {
        const bringBack = () =>
          end(() => {
            exchange.isOutcomeKnown = isOutcomeKnown;
            this.#simulation.note(process.name, () => `request answered ${response.status}`);
            resolve(response);
          });
        if (faults.strikes('connection cut after the effect')) fail('connectionCut');
        else if (!faults.strikes('answer never comes')) process.later(random.integer(5, 100), bringBack);
      });
    }
  }

  #begin(process: SimulatedProcess, request: TransportRequest): Exchange {
    const { now } = this.#simulation;
    const { headers, method, url, body } = request;
    const { marketplace, events, rowsOf = () => [] } = this.#options;
    const timestamp = Number(headers['x-timestamp']);
    const isCorrected = Math.abs(timestamp - now) > CORRECTED_MS;
    const signedAt = isCorrected ? timestamp - marketplace.gate.clockOffsetMs : timestamp;
    const exchange: Exchange = {
      process,
      storeClientId: headers['x-store-client-id'] ?? '',
      request,
      rows: rowsOf(request),
      sentAt: now,
      mayLandUntil: signedAt + LANDS_WITHIN_SECONDS * 1000,
      isOpen: true,
      isOutcomeKnown: false,
    };
    this.#simulation.note(
      process.name,
      () => `sends for ${exchange.storeClientId} ${method} ${new URL(url).pathname} ${textOf(body)}`,
    );
    events.onSent(exchange);
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Brings the request to the marketplace, unless it is too late by then; its sender may be dead already. */
  #carry(exchange: Exchange, request: TransportRequest, onAnswer: (answer: MarketplaceAnswer) => void): void {
    const { faults, random, scheduler } = this.#simulation;
    const leftMs = Math.max(0, Math.floor(exchange.mayLandUntil - exchange.sentAt));
    const isLate = faults.strikes('request lands late');
    scheduler.after(isLate ? random.integer(0, leftMs) : random.integer(5, 100), () => {
      if (this.#simulation.now > exchange.mayLandUntil) return;
      this.#options.events.onLanded(exchange, isLate);
      const answer = this.#options.marketplace.handle(request);
      const { lateEffect } = answer;
      if (lateEffect !== undefined && random.chance(0.5)) {
        const waitMs = random.integer(
          0,
          Math.max(0, Math.floor(exchange.mayLandUntil - this.#simulation.now)),
        );
        scheduler.after(waitMs, lateEffect);
      }
      onAnswer(answer);
    });
  }
}

function textOf(body: Uint8Array | undefined): string {
  return body === undefined ? '' : Buffer.from(body).toString();
}
