import { expect, test } from 'vitest';
import { discardPrices } from '../../../shared/guards/use-cases/operate-guard.ts';
import type { MarketplaceClient } from '../../../shared/marketplace/client.ts';
import { failure } from '../support/failure.ts';
import { laneWorld, STORE } from './lane-world.ts';

const AFTER_DISCARD_MS = 100_000;

test('a price that was discarded after its request was sent is not sent again with a corrected token', async () => {
  const world = laneWorld();
  await world.connect();
  await world.change('price.changed', 1, [{ sku: 'A', price: 5 }]);
  let sent = 0;
  const updatePrices: MarketplaceClient['updatePrices'] = async (_, __, { place, onAttempt } = {}) => {
    await onAttempt?.({ number: 1, signedAt: world.clock.now() });
    await place?.begin();
    sent += 1;
    await discardPrices(world.ports, STORE);
    await world.clock.sleep(AFTER_DISCARD_MS);
    await world.change('stock.changed', 1, [{ sku: 'B', stock: 5 }]);
    await onAttempt?.({ number: 2, signedAt: world.clock.now() });
    sent += 1;
    throw failure('TIMEOUT', { outcome: 'unknown' });
  };
  Object.assign(world.ports.marketplace, { updatePrices });

  await world.push(2 * AFTER_DISCARD_MS);

  expect(sent).toBe(1);
});
