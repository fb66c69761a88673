import { z } from 'zod';
import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';

const CREATIONS = /\/(?:catalog\/(?:variants\/)?sync|products\/(?:with-variants\/)?bulk)$/;

const creationBody = z.object({ products: z.array(z.object({ name: z.string() })) });

/** How often each row of a creation left, by the name that it is to be made under. */
export class SentRows {
  readonly #times = new Map<string, number>();

  onSent({ url, body }: TransportRequest): void {
    if (body === undefined || !CREATIONS.test(new URL(url).pathname)) return;
    for (const { name } of creationBody.parse(JSON.parse(Buffer.from(body).toString())).products) {
      this.#times.set(name, this.timesOf(name) + 1);
    }
  }

  timesOf(tag: string): number {
    return this.#times.get(tag) ?? 0;
  }
}
