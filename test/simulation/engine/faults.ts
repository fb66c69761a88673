import type { Random } from './random.ts';

/** Every kind of fault in the simulation, with its highest probability per opportunity. */
const MOST_OFTEN = {
  /** Operations of tables, queues and the bus. */
  'operation fails before its effect': 0.03,
  'operation fails after its effect': 0.03,
  'operation fails, its effect comes later': 0.03,
  'operation is repeated by the SDK': 0.05,
  'operation is slow': 0.2,
  'operation hangs': 0.01,
  /** Processes. */
  'frozen before a row is settled': 0.2,
  'crash before an operation': 0.01,
  'crash after an operation': 0.01,
  'crash while a request is in flight': 0.1,
  'process killed at some moment': 0.2,
  /** Queues. */
  'message delivered twice': 0.2,
  'message delayed': 0.3,
  'ticket lost': 0.4,
  /** The network to the marketplace. */
  'connection refused': 0.1,
  'connection cut before the effect': 0.1,
  'connection cut after the effect': 0.1,
  'request lands late': 0.15,
  'answer never comes': 0.1,
  /** The marketplace's answers. */
  '429 with Retry-After': 0.15,
  '503 SYS_DEP_503': 0.1,
  '504 SYS_UPS_001 before the effect': 0.1,
  '504 SYS_UPS_001 after the effect': 0.1,
  '500 without an envelope': 0.1,
  'answer is not JSON': 0.1,
  'row refused temporarily': 0.15,
  'answer without batchId': 0.3,
  'row errors without rowIndex': 0.5,
  'answer without any ID': 0.1,
  'failures counted without their rows': 0.15,
  'row numbers as text': 0.3,
  'row numbers beyond the request': 0.1,
  'answer without data': 0.1,
  /** Final summaries, by webhook. */
  'summary never comes': 0.5,
  'summary comes very late': 0.3,
  'summary leaves rows pending': 0.3,
  'summary comes twice': 0.5,
  'summary contradicts': 0.2,
  'summary is forged': 0.2,
  /** The partner. */
  'command given again': 0.4,
} as const;

/** A kind of fault: drawn by every seed, or used only when a scenario asks for it. */
export type FaultKind =
  | keyof typeof MOST_OFTEN
  | 'global index lags'
  | 'request refused without a bad row'
  | 'row accepted without effect'
  | 'row answered too late'
  | 'finding is not published'
  | 'skipped orders are not named'
  | 'a part of a batch is left undone'
  | 'crash once a request is split';

/** Share of seeds without faults, and share of the kinds in a seed with faults. */
const CALM_SEEDS = 0.05;
const KINDS_PER_SEED = 0.5;

/** The faults of a seed: their probabilities, and how often they occurred. */
export class Faults {
  readonly #random: Random;
  readonly #rates = new Map<FaultKind, number>();
  readonly counts = new Map<FaultKind, number>();
  #stopped = false;

  constructor(random: Random) {
    this.#random = random;
    if (random.chance(CALM_SEEDS)) return;
    for (const [kind, rate] of Object.entries(MOST_OFTEN) as [FaultKind, number][]) {
      if (random.chance(KINDS_PER_SEED)) this.#rates.set(kind, rate * random.next());
    }
  }

  /** Whether the fault occurs now; counted if it does. */
  strikes(kind: FaultKind): boolean {
    const rate = this.#stopped ? 0 : (this.#rates.get(kind) ?? 0);
    if (rate === 0 || !this.#random.chance(rate)) return false;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return true;
  }

  /** Sets the probability of a kind of fault, whatever the seed drew. */
  force(kind: FaultKind, rate: number): void {
    this.#rates.set(kind, rate);
  }

  /** Stops all further faults. */
  stop(): void {
    this.#stopped = true;
  }

  get stopped(): boolean {
    return this.#stopped;
  }
}
