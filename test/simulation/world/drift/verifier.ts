import type { Drift, ShownPage, Verification } from '../../../../shared/drift/model.ts';
import type { VerifierSettings } from '../../../../shared/drift/use-cases/verifier.ts';
import { verifyListings } from '../../../../shared/drift/use-cases/verify-listings.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { SparePermits } from '../../../../shared/limits/spare-permits.ts';
import { inMemoryDriftTable } from '../../../doubles/in-memory-drift-table.ts';
import { inMemoryVerificationTable } from '../../../doubles/in-memory-verification-table.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Functions } from '../functions.ts';
import { WatchedItems } from '../watched-items.ts';
import type { World } from '../world.ts';

/** As in the stack. */
const EVERY_MS = 300_000;
const TIMEOUT_MS = 240_000;
const READING_MS = 70_000;
const SETTLING_MS = 20_000;

/** An event of the verifier, with when it was published. */
export interface Finding {
  readonly at: number;
  readonly event: OutgoingEvent;
}

/** The listing-verifier, started by its schedule, with its tables. */
export class Verifier {
  readonly drifts = new WatchedItems<Drift>((_, drift) => this.#onRecorded(drift));
  readonly pages = new Map<string, ShownPage>();
  readonly verifications = new VersionedItems<Verification>();
  readonly findings: Finding[] = [];
  /** Each drift of a register that was ever on record: `{storeClientId} {target} {register} {since}`. */
  readonly recorded = new Set<string>();
  readonly settings: VerifierSettings;
  readonly #world: World;
  readonly #functions: Functions;
  readonly #budget: number;

  constructor(world: World, functions: Functions) {
    const { random } = world.simulation;
    this.#world = world;
    this.#functions = functions;
    this.#budget = random.integer(3, 20);
    this.settings = {
      graceMs: random.integer(30_000, 120_000),
      cycleMs: random.pick([300_000, 600_000, 6 * 3_600_000]),
      pageSize: random.integer(1, 4),
    };
  }

  start(): void {
    const schedule = { name: 'verifier', everyMs: EVERY_MS, timeoutMs: TIMEOUT_MS };
    this.#functions.schedule(schedule, (process) => this.#run(process));
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
      this.findings.push(...events.map((event) => ({ at: simulation.now, event })));
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
        permits: new SparePermits(limiter.permits({ leavesOne: true }), clock, this.#budget),
      },
      this.settings,
      {
        stopAt: clock.now() + TIMEOUT_MS - SETTLING_MS - READING_MS,
        signal: end.signal,
        onFailure: (error) => simulation.note(process.name, () => `a part of the work failed: ${error}`),
      },
    );
    simulation.note(process.name, () => `ends its run: ${JSON.stringify(report)}`);
    const sent = network.exchanges.filter((exchange) => exchange.process === process).length;
    if (sent > this.#budget) simulation.violate(`the verifier sent ${sent} requests of ${this.#budget}`);
  }
}
