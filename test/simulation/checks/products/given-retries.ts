import * as z from 'zod';
import type { FailedRowScope } from '../../../../shared/batches/use-cases/retry-batch.ts';
import type { Simulation } from '../../engine/simulation.ts';

const retryMessage = z.object({
  detail: z.object({
    commandId: z.string(),
    retryOf: z.string(),
    products: z.array(z.looseObject({ name: z.string() })),
  }),
});

/** A command that retries failed rows of a batch. */
export interface GivenRetry {
  readonly commandId: string;
  readonly retryOf: string;
  /** The names under which its rows are created. */
  readonly tags: readonly string[];
}

/** The retries that operators requested, and their commands: equal requests make one command with the same rows. */
export class GivenRetries {
  readonly #simulation: Simulation;
  readonly #asked = new Map<string, Set<FailedRowScope>>();
  readonly #byId = new Map<string, GivenRetry>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  all(): GivenRetry[] {
    return [...this.#byId.values()];
  }

  onAsked(batchId: string, scope: FailedRowScope): void {
    this.#asked.set(batchId, (this.#asked.get(batchId) ?? new Set()).add(scope));
  }

  /** @param body the command as it arrives at its queue. */
  onGiven(body: string): void {
    const { commandId, retryOf, products } = retryMessage.parse(JSON.parse(body)).detail;
    const tags = products.map(({ name }) => name);
    const known = this.#byId.get(commandId) ?? { commandId, retryOf, tags };
    this.#byId.set(commandId, known);
    if (known.tags.join() !== tags.join()) {
      this.#simulation.violate(`P3: ${commandId} has the rows ${tags}, and had ${known.tags}`);
    }
    const same = this.all().filter((one) => one.retryOf === retryOf && one.tags.join() === tags.join());
    if (same.length > (this.#asked.get(retryOf)?.size ?? 0)) {
      this.#simulation.violate(
        `commands: ${retryOf} is tried again by ${commandId}, which no operator requested`,
      );
    }
  }
}
