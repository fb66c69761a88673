import type { Simulation } from '../../engine/simulation.ts';
import { compareCommands, type GivenCommand, type GivenUpdate } from '../../world/products/given-commands.ts';
import type { Shelf, ShelfProduct } from '../../world/products/shelf.ts';

/**
 * Checks at the marketplace ("Two kinds of work" in docs/architecture.md): no command has two effects, and the updates of a
 * product keep their order.
 */
export class EffectChecks {
  /** The purpose of the request for each row that made a product, by its tag. */
  readonly madeBy = new Map<string, string>();
  /** The command that deleted a product, by its ID. */
  readonly removedBy = new Map<string, string>();
  /** Commands whose update had an effect. */
  readonly updated = new Set<string>();
  readonly #simulation: Simulation;
  readonly #commands: ReadonlyMap<string, GivenCommand>;
  readonly #externalIds = new Set<string>();

  constructor(simulation: Simulation, commands: ReadonlyMap<string, GivenCommand>) {
    this.#simulation = simulation;
    this.#commands = commands;
  }

  onCreated({ store, externalId, tag }: ShelfProduct, purpose: string): void {
    const name = `${store.storeClientId} ${externalId}`;
    if (this.#externalIds.has(name)) {
      this.#simulation.violate(`commands: ${tag} makes product ${externalId} once more, which was deleted`);
    }
    this.#externalIds.add(name);
    this.madeBy.set(tag, purpose);
  }

  everMade({ storeClientId }: { readonly storeClientId: string }, externalId: string): boolean {
    return this.#externalIds.has(`${storeClientId} ${externalId}`);
  }

  onRemoved({ id }: ShelfProduct, commandId: string): void {
    this.removedBy.set(id, commandId);
  }

  onField({ id }: ShelfProduct, field: string, commandId: string, before: string | undefined): void {
    this.updated.add(commandId);
    const [setter, earlier] = [this.#updateOf(commandId), before && this.#updateOf(before)];
    if (setter === undefined || !setter.fields.includes(field)) {
      this.#simulation.violate(
        `commands: ${field} of ${id} was set for ${commandId}, which did not ask for it`,
      );
    } else if (earlier && compareCommands(setter, earlier) < 0) {
      this.#simulation.violate(`commands: ${field} of ${id} went back from ${before} to ${commandId}`);
    }
  }

  /**
   * After quiescence: each field of a product has the value of the newest update that was not rejected. An update in the
   * dead-letter queue may or may not have set its fields.
   */
  finish(shelf: Shelf, rejected: ReadonlySet<string>, dead: ReadonlySet<string>): void {
    for (const { id, fields } of shelf.all()) {
      for (const [field, { commandId }] of this.#newestOf(id, new Set([...rejected, ...dead]))) {
        const found = fields.get(field)?.commandId;
        if (found === commandId || this.#isAsked(id, field, dead)) continue;
        this.#simulation.violate(`commands: ${field} of ${id} ended as of ${found} and not of ${commandId}`);
      }
    }
  }

  /** Whether one of the commands would set a field. */
  #isAsked(productId: string, field: string, commandIds: ReadonlySet<string>): boolean {
    return [...commandIds].some((commandId) => {
      const update = this.#updateOf(commandId);
      return update?.productId === productId && update.fields.includes(field);
    });
  }

  #newestOf(productId: string, leftOut: ReadonlySet<string>): Map<string, GivenUpdate> {
    const newest = new Map<string, GivenUpdate>();
    for (const update of this.#commands.values()) {
      if (update.kind !== 'update' || update.productId !== productId) continue;
      if (leftOut.has(update.commandId)) continue;
      for (const field of update.fields) {
        const known = newest.get(field);
        if (known === undefined || compareCommands(update, known) > 0) newest.set(field, update);
      }
    }
    return newest;
  }

  #updateOf(commandId: string): GivenUpdate | undefined {
    const command = this.#commands.get(commandId);
    return command?.kind === 'update' ? command : undefined;
  }
}
