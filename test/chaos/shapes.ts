import type { SandboxProduct } from '../run/sandbox-controls.ts';
import type { Random } from '../simulation/engine/random.ts';
import type { Change } from './changes.ts';

/** An event as a partner puts it on the bus. */
export interface ChangeEvent {
  readonly detailType: Change['detailType'];
  readonly detail: object;
}

/** How a partner tells of one product. */
interface Shape {
  readonly names: Readonly<Record<Change['detailType'], object>>;
  readonly versionOf: (change: Change) => object;
}

/** Before all that comes later: version 1 and those after it lie in the past. */
const FIRST_VERSION_MS = 24 * 60 * 60_000;

/**
 * Writes changes as events: each product is named by its sku, its id or its externalId, the latter for stock only (§4.8,
 * 4.9), and tells its versions by number or by time, the same way every time.
 *
 * @param now epoch ms.
 */
export function eventWriter(
  products: readonly (SandboxProduct & { readonly storeClientId: string })[],
  random: Random,
  now: number,
): (change: Change) => ChangeEvent {
  const shapes = new Map(
    products.map((product) => [`${product.storeClientId} ${product.sku}`, shapeOf(product, random, now)]),
  );
  return (change) => {
    const { storeClientId, sku, detailType, item } = change;
    const shape = shapes.get(`${storeClientId} ${sku}`);
    const name = shape?.names[detailType] ?? { sku };
    const version = shape?.versionOf(change) ?? { version: change.version };
    return { detailType, detail: { storeClientId, ...version, items: [{ ...name, ...item }] } };
  };
}

function shapeOf({ sku, id, externalId }: SandboxProduct, random: Random, now: number): Shape {
  const names = random.pick([
    { 'stock.changed': { sku }, 'price.changed': { sku } },
    { 'stock.changed': { id }, 'price.changed': { id } },
    { 'stock.changed': { externalId }, 'price.changed': { id } },
  ]);
  const timeOf = ({ version }: Change) => now - FIRST_VERSION_MS + version;
  const versionOf = random.pick([
    ({ version }: Change) => ({ version }),
    (change: Change) => ({ occurredAt: timeOf(change) }),
    (change: Change) => ({ occurredAt: new Date(timeOf(change)).toISOString() }),
  ]);
  return { names, versionOf };
}
