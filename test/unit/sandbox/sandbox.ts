import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/index.ts';
import { expectDocumented } from './documented.ts';
import { type Answered, call, control, type Json } from './partner.ts';

type CallOptions = NonNullable<Parameters<typeof call>[2]>;

/** A sandbox for the tests of one file, back at its fixtures before each test. */
export function useSandbox(options: SandboxOptions = {}) {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({
      applyDelayMs: 1,
      webhookRetryDelayMs: 1,
      webhookDisturbanceDelayMs: 50,
      ...options,
    });
  });
  beforeEach(async () => {
    await control(sandbox.url, 'POST /reset');
  });
  afterAll(() => sandbox.close());
  return {
    get url(): string {
      return sandbox.url;
    },
    idle: () => sandbox.idle(),
    /** Calls the API, and holds the answer against the documentation of its endpoint. */
    async call(line: string, callOptions?: CallOptions): Promise<Answered> {
      const answered = await call(sandbox.url, line, callOptions);
      expectDocumented(line, answered);
      return answered;
    },
    control: (line: string, body?: unknown): Promise<Answered> => control(sandbox.url, line, body),

    /** Creates products and waits until they are there; answers them with their history. */
    async seed(store: string, ...products: Record<string, unknown>[]): Promise<Json[]> {
      const simple = products.filter((product) => product.variants === undefined);
      const variant = products.filter((product) => product.variants !== undefined);
      const send = (path: string, rows: unknown[]) =>
        rows.length > 0 &&
        call(sandbox.url, `POST /partner/stores/products/${path}`, { store, body: { products: rows } });
      await send('bulk', simple);
      await send('with-variants/bulk', variant);
      await sandbox.idle();
      return this.live(store);
    },

    /** What is live in a store, with every value it ever had. */
    async live(store: string): Promise<Json[]> {
      const { json } = await control(sandbox.url, `GET /stores/${store}/products`);
      return json.products;
    },
  };
}

/** External IDs for tests: the UUID with this number at its end. */
export function externalId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** A variant product of two sizes, SKUs `<sku>-S` and `<sku>-M`. */
export function shirt(number: number, sku: string, items: Record<string, unknown>[] = [{}, {}]) {
  const sizes = ['S', 'M'];
  return {
    externalId: externalId(number),
    name: `Shirt ${sku}`,
    variants: {
      items: items.map((item, index) => ({
        sku: `${sku}-${sizes[index]}`,
        price: 100 + index,
        isDefault: index === 0,
        status: 'ACTIVE',
        optionIndexes: [index],
        sortOrder: index,
        ...item,
      })),
      optionGroups: [{ level: 1, name: 'Size', values: sizes.map((label) => ({ label })) }],
    },
  };
}
