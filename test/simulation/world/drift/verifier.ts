import type { Drift, ShownPage, Verification } from '../../../../shared/drift/model.ts';
import type { VerifierSettings } from '../../../../shared/drift/use-cases/verifier.ts';
import { verifyListings } from '../../../../shared/drift/use-cases/verify-listings.ts';
import { ConnectorError } from '../../../../shared/errors/connector-error.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { SparePermits } from '../../../../shared/limits/spare-permits.ts';
import { inMemoryDriftTable } from '../../../doubles/in-memory-drift-table.ts';
import { inMemoryVerificationTable } from '../../../doubles/in-memory-verification-table.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Functions } from '../functions.ts';
import { WatchedItems } from '../watched-items.ts';
import type { World } from '../world.ts';

/** As in the stack. */
const EVERY_MS = 300_000;
const TIMEOUT_MS = 240_000;
const READING_MS = 70_000;
const SETTLING_MS = 20_000;
const MOST_RUNS_BESIDE = 6;
/** Share of the seeds in which the schedule starts runs twice, as EventBridge may. */
const SEEDS_WITH_RUNS_TWICE = 0.5;
/** Milliseconds between the two. */
const MOST_MS_APART = 2_000;

/** An event of the verifier, with when it was published. */
export interface Finding {
  readonly at: number;
  readonly event: OutgoingEvent;
}

/** The listing-verifier, started by its schedule, with its tables. */
export class Verifier {
  readonly drifts = new WatchedItems<Drift>((_, drift) => this.#onRecorded(drift));
  readonly pages = new Map<string, ShownPage>();
  readonly verifications = new WatchedItems<Verification>((storeClientId, { last }, before) => {
    if (before?.last === undefined || (last && last.startedAt >= before.last.startedAt)) return;
    this.#world.simulation.violate(`the verifier forgets an ended cycle of ${storeClientId}`);
  });
  readonly findings: Finding[] = [];
  /** Each drift of a register that was ever on record: `{storeClientId} {target} {register} {since}`. */
  readonly recorded = new Set<string>();
  readonly settings: VerifierSettings;
  /** Probability that the schedule starts a run twice: what both find at once is published twice. */
  readonly startsTwice: number;
  readonly #world: World;
  readonly #functions: Functions;
  readonly #budget: number;
  /** Called for each event that it publishes. */
  readonly #onPublished: (finding: Finding) => void;

  constructor(world: World, functions: Functions, onPublished: (finding: Finding) => void) {
    const { random } = world.simulation;
    this.#world = world;
    this.#functions = functions;
    this.#onPublished = (finding) => {
      this.findings.push(finding);
      onPublished(finding);
    };
    this.#budget = random.integer(3, 20);
    this.startsTwice = random.chance(SEEDS_WITH_RUNS_TWICE) ? random.next() : 0;
    this.settings = {
      graceMs: random.integer(30_000, 120_000),
      cycleMs: random.pick([300_000, 600_000, 3_600_000]),
      pageSize: random.integer(1, 4),
    };
  }

  /** Its schedule, which may start a run twice. Within `withinMs` it also starts runs beside those that are still alive. */
  start(withinMs: number): void {
    const { random, scheduler } = this.#world.simulation;
    const started = { name: 'verifier', timeoutMs: TIMEOUT_MS };
    const startWithin = (ms: number) =>
      scheduler.after(random.integer(0, ms), () =>
        this.#functions.start(started, (process) => this.#run(process)),
      );
    this.#functions.schedule({ ...started, everyMs: EVERY_MS }, async (process) => {
      if (random.chance(this.startsTwice)) startWithin(MOST_MS_APART);
      await this.#run(process);
    });
    for (let count = random.integer(0, MOST_RUNS_BESIDE); count > 0; count -= 1) startWithin(withinMs);
  }

  #onRecorded({ storeClientId, target, registers }: Drift): void {
    for (const [register, { open } = {}] of Object.entries(registers)) {
      if (open !== undefined) this.recorded.add(`${storeClientId} ${target} ${register} ${open.since}`);
    }
  }

  async #run(process: SimulatedProcess): Promise<void> {
    const { simulation, network } = this.#world;
    const { limiter, calls, ...ports } = this.#world.portsOf(process, this.#functions.wake);
    const { clock } = ports;
    const publish = async (events: readonly OutgoingEvent[]) => {
      if (simulation.faults.strikes('finding is not published')) throw new Error('the bus refuses an event');
      await ports.events.publish(events);
      for (const event of events) this.#onPublished({ at: simulation.now, event });
    };
    const end = new AbortController();
    process.later(TIMEOUT_MS - SETTLING_MS, () => end.abort(new Error('out of time')));
    const report = await verifyListings(
      {
        ...ports,
        events: { publish },
        drift: inMemoryDriftTable(process.step, { drifts: this.drifts, pages: this.pages }),
        verifications: inMemoryVerificationTable(process.step, this.verifications),
        marketplace: calls,
        permits: new SparePermits(limiter, clock, this.#budget),
      },
      this.settings,
      {
        stopAt: clock.now() + TIMEOUT_MS - SETTLING_MS - READING_MS,
        signal: end.signal,
        onFailure: (error) => {
          simulation.note(process.name, () => `a part of the work failed: ${error}`);
          if (error instanceof ConnectorError && error.code === 'STORE_NOT_CONNECTED')
            simulation.violate('the verifier fails because a store is not connected');
        },
      },
    );
    simulation.note(process.name, () => `ends its run: ${JSON.stringify(report)}`);
    const sent = network.exchanges.filter((exchange) => exchange.process === process).length;
    if (report.cycles > report.stores)
      simulation.violate(`the verifier ended ${report.cycles} cycles of ${report.stores} stores in one run`);
    if (sent > this.#budget) simulation.violate(`the verifier sent ${sent} requests of ${this.#budget}`);
  }
}
