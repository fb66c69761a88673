import { skuOf } from '../run/catalog.ts';
import { addRows, batchesSince } from './batches.ts';
import { SLOW_MACHINE, type TourContext, type TourLine } from './context.ts';

const CHANGES = 5_000;
const TARGETS = 1_000;
const ITEMS_PER_EVENT = 100;

/** Sends several stock changes per product, out of order, and waits until each product has its newest stock. */
export async function pushStock(context: TourContext): Promise<TourLine> {
  const { run, storeClientId, marketplace, firstProduct, terminal, waitFor } = context;
  const since = new Date().toISOString();
  const rounds = CHANGES / TARGETS;
  terminal.say(
    `2. ${CHANGES} stock changes of ${TARGETS} products on the event bus, each product's newest first`,
  );
  const started = Date.now() - rounds * 1000;
  for (let round = rounds; round > 0; round -= 1) {
    await run.partner.putEvents(eventsOf(context, round, started + round * 1000));
  }

  const expected = new Map(
    Array.from({ length: TARGETS }, (_, index) => [skuOf(firstProduct + index), stockIn(rounds, index)]),
  );
  await waitFor(
    'the newest stock of every product at the marketplace',
    async () => {
      let right = 0;
      for await (const product of marketplace.iterateProducts(context, { limit: 100 })) {
        if (product.sku && expected.get(product.sku) === product.stock) right += 1;
      }
      terminal.progress(`   ${right} of ${TARGETS} products have their newest stock`);
      return right === TARGETS;
    },
    SLOW_MACHINE,
  );
  // The marketplace shows a value before its batch is recorded.
  const batches = await waitFor('the batch records of every product', async () => {
    const found = await batchesSince(run.partner, { kind: 'stock', since, storeClientId });
    return addRows(found).accepted >= TARGETS && found;
  });
  const rows = addRows(batches);
  return {
    step: 'stock changes',
    sent: `${CHANGES} changes of ${TARGETS} products`,
    requests: batches.length,
    accepted: rows.accepted,
    rejected: rows.rejected,
    comparison: `${TARGETS} of ${TARGETS} newest; ${CHANGES - rows.sent} changes needed no row`,
    holds: rows.accepted >= TARGETS && rows.rejected === 0 && rows.sent < CHANGES,
  };
}

function eventsOf({ storeClientId, firstProduct }: TourContext, round: number, occurredAt: number) {
  return Array.from({ length: TARGETS / ITEMS_PER_EVENT }, (_, event) => ({
    detailType: 'stock.changed',
    detail: {
      storeClientId,
      occurredAt,
      items: Array.from({ length: ITEMS_PER_EVENT }, (_, item) => {
        const index = event * ITEMS_PER_EVENT + item;
        return { sku: skuOf(firstProduct + index), stock: stockIn(round, index) };
      }),
    },
  }));
}

function stockIn(round: number, index: number): number {
  return (round * 37 + index) % 200;
}
