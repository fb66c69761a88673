import { z } from 'zod';
import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { namesPassing, newProductSchema } from '../../world/products/shelf.ts';

const CREATIONS = /\/(?:catalog\/(?:variants\/)?sync|products\/(?:with-variants\/)?bulk)$/;

const creationBody = z.object({ products: z.array(newProductSchema) });

/**
 * How often each row of a creation left, by the name that it is to be made under; and that one pack alone has it, but
 * for those that an operator gives to try it again.
 */
export class SentRows {
  readonly #simulation: Simulation;
  readonly #times = new Map<string, number>();
  readonly #packs = new Map<string, string>();
  /** Rows that left more than once, in one request with products that are kept in a passing warehouse. */
  readonly #besidePassing = new Set<string>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** @param packId what the request is made for. */
  onSent({ url, body }: TransportRequest, packId: string): void {
    if (body === undefined || !CREATIONS.test(new URL(url).pathname)) return;
    const { products } = creationBody.parse(JSON.parse(Buffer.from(body).toString()));
    const isPassing = products.some(namesPassing);
    for (const { name } of products) {
      if (isPassing && this.timesOf(name, packId) > 0) this.#besidePassing.add(name);
      this.#times.set(keyOf(name, packId), this.timesOf(name, packId) + 1);
      if (isRetry(packId)) continue;
      const first = this.#packs.get(name) ?? packId;
      this.#packs.set(name, first);
      if (first !== packId) this.#simulation.violate(`§2: row ${name} left for ${first} and for ${packId}`);
    }
  }

  isBesidePassing(tag: string): boolean {
    return this.#besidePassing.has(tag);
  }

  timesOf(tag: string, packId: string): number {
    return this.#times.get(keyOf(tag, packId)) ?? 0;
  }
}

function keyOf(tag: string, packId: string): string {
  return isRetry(packId) ? `${tag} in ${packId}` : tag;
}

export function isRetry(packId: string): boolean {
  return packId.startsWith('retry/');
}
