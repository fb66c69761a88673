import { Packer } from '../../collections/packer.ts';
import type { Product, ProductShape } from '../model.ts';
import { MAX_PRODUCT_BYTES, shapeOf } from '../model.ts';
import type { ProductCommandQueue } from '../ports.ts';

interface ChunkFacts {
  readonly importId: string;
  readonly storeClientId: string;
  /** ISO 8601. */
  readonly time: string;
}

/** Products in one message at most: no setting changes it, so that `{importId}/{n}` means the same rows for ever. */
const PRODUCTS_PER_MESSAGE = 100;

/**
 * Hands the products of one file on to the product commands queue; simple products and those with variants in messages
 * of their own. Which products a message has follows from the file alone.
 */
export class CatalogChunks {
  /** Products handed on. */
  sent = 0;
  /** Messages that they went in. */
  messages = 0;

  readonly #queue: ProductCommandQueue;
  readonly #facts: ChunkFacts;
  readonly #packers: Readonly<Record<ProductShape, Packer<Product>>>;

  constructor(ports: { queue: ProductCommandQueue }, facts: ChunkFacts) {
    this.#queue = ports.queue;
    this.#facts = facts;
    const limits = { maxItems: PRODUCTS_PER_MESSAGE, maxBytes: MAX_PRODUCT_BYTES };
    this.#packers = { simple: new Packer(limits), variants: new Packer(limits) };
  }

  async add(product: Product, bytes: number): Promise<void> {
    await this.#send(this.#packers[shapeOf(product)].add(product, bytes));
  }

  /** Hands on what is left. */
  async flush(): Promise<void> {
    await this.#send(this.#packers.simple.flush());
    await this.#send(this.#packers.variants.flush());
  }

  async #send(products: readonly Product[] | undefined): Promise<void> {
    if (products === undefined) return;
    const { importId, storeClientId, time } = this.#facts;
    const commandId = `${importId}/${this.messages}`;
    await this.#queue.sendSync({ storeClientId, commandId, time, products });
    this.messages += 1;
    this.sent += products.length;
  }
}
