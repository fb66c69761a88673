import * as z from 'zod';
import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { newProductSchema } from '../../world/products/shelf.ts';

const CREATIONS = /\/(?:catalog\/(?:variants\/)?sync|products\/(?:with-variants\/)?bulk)$/;

const creationBody = z.object({ products: z.array(newProductSchema) });

/**
 * Counts how often each row of a creation was sent, by the name under which it is created. Checks that it is in one planned
 * request only, except for an operator's retries.
 */
export class SentRows {
  readonly #simulation: Simulation;
  readonly #times = new Map<string, number>();
  readonly #purposes = new Map<string, string>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** @param purpose the purpose of the request. */
  onSent({ url, body }: TransportRequest, purpose: string): void {
    if (body === undefined || !CREATIONS.test(new URL(url).pathname)) return;
    const { products } = creationBody.parse(JSON.parse(Buffer.from(body).toString()));
    for (const { name } of products) {
      this.#times.set(keyOf(name, purpose), this.timesOf(name, purpose) + 1);
      if (isRetry(purpose)) continue;
      const first = this.#purposes.get(name) ?? purpose;
      this.#purposes.set(name, first);
      if (first !== purpose)
        this.#simulation.violate(`commands: row ${name} left for ${first} and for ${purpose}`);
    }
  }

  timesOf(tag: string, purpose: string): number {
    return this.#times.get(keyOf(tag, purpose)) ?? 0;
  }
}

function keyOf(tag: string, purpose: string): string {
  return isRetry(purpose) ? `${tag} in ${purpose}` : tag;
}

export function isRetry(purpose: string): boolean {
  return purpose.startsWith('retry/');
}
