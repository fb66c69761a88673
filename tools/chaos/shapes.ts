import type { SandboxProduct } from '../../local/run/sandbox-controls.ts';
import type { Random } from '../../test/simulation/engine/random.ts';
import type { Change } from './changes.ts';

/** An event as a partner puts it on the bus. */
export interface ChangeEvent {
  readonly detailType: Change['detailType'];
  readonly detail: object;
}

/** The identifier by which a store names its products. */
export type ProductNames = 'sku' | 'id' | 'externalId';

/** How a partner reports one product. */
interface Shape {
  readonly names: Readonly<Record<Change['detailType'], object>>;
  readonly versionOf: (change: Change) => object;
}

/** The time of version 0, so early that all later versions lie in the past. */
const FIRST_VERSION_MS = 24 * 60 * 60_000;

/**
 * Writes changes as events. Each product uses the identifier of its store, or the SKU for prices where that is the
 * externalId (§4.8, §4.9), and always the same kind of version: number or time.
 *
 * @param namesOf by store; @param now epoch ms.
 */
export function eventWriter(
  products: readonly (SandboxProduct & { readonly storeClientId: string })[],
  namesOf: (storeClientId: string) => ProductNames,
  random: Random,
  now: number,
): (change: Change) => ChangeEvent {
  const shapes = new Map(
    products.map((product) => [
      `${product.storeClientId} ${product.sku}`,
      shapeOf(product, namesOf(product.storeClientId), random, now),
    ]),
  );
  return (change) => {
    const { storeClientId, sku, detailType, item } = change;
    const shape = shapes.get(`${storeClientId} ${sku}`);
    const name = shape?.names[detailType] ?? { sku };
    const version = shape?.versionOf(change) ?? { version: change.version };
    return { detailType, detail: { storeClientId, ...version, items: [{ ...name, ...item }] } };
  };
}

function shapeOf(
  { sku, id, externalId }: SandboxProduct,
  storeNames: ProductNames,
  random: Random,
  now: number,
): Shape {
  const names = {
    sku: { 'stock.changed': { sku }, 'price.changed': { sku } },
    id: { 'stock.changed': { id }, 'price.changed': { id } },
    externalId: { 'stock.changed': { externalId }, 'price.changed': { sku } },
  }[storeNames];
  const timeOf = ({ version }: Change) => now - FIRST_VERSION_MS + version;
  const versionOf = random.pick([
    ({ version }: Change) => ({ version }),
    (change: Change) => ({ occurredAt: timeOf(change) }),
    (change: Change) => ({ occurredAt: new Date(timeOf(change)).toISOString() }),
  ]);
  return { names, versionOf };
}
