import { expect, test } from 'vitest';
import { performProductCommand } from '../../../../shared/products/use-cases/perform-product-command.ts';
import type { Step } from '../../../doubles/step.ts';
import { simpleProduct } from '../../../run/catalog.ts';
import { accept, NOW, productPorts } from '../product-ports.ts';

const killed = new Error('killed');

/** A creation whose function dies in its nth read or write of anything, having done it or not; then it comes again. */
async function createWithCrash(nth: number, where: 'before' | 'after') {
  const exists = { code: 'PRD_002', message: 'exists', rowIndex: 0 };
  let operations = 0;
  let isTroubled = true;
  const step: Step = async (_, effect) => {
    operations += 1;
    const dies = isTroubled && operations === nth;
    if (dies && where === 'before') throw killed;
    const result = effect();
    if (dies) throw killed;
    return result;
  };
  const { ports, seen } = productPorts([accept('b-1'), accept('b-2', [exists])], step);
  const give = () =>
    performProductCommand(ports, {
      messageId: 'm-1',
      sentAt: NOW,
      body: JSON.stringify({
        'detail-type': 'product.create.requested',
        detail: { storeClientId: 's-1', commandId: 'c-1', products: [simpleProduct(1)] },
      }),
    });
  const died = await give().then(
    () => false,
    () => true,
  );
  isTroubled = false;
  if (died) await give();
  return { died, seen, batches: [...seen.batches.values()] };
}

test.each(['before', 'after'] as const)(
  'a creation begins one batch, announced, wherever its function dies %s a read or a write',
  async (where) => {
    let nth = 1;
    for (; ; nth += 1) {
      const { died, seen, batches } = await createWithCrash(nth, where);
      expect(batches.map(({ state, rows }) => ({ state, rows }))).toEqual([
        { state: 'completed', rows: { sent: 1, accepted: 1, rejected: 0, unknown: 0 } },
      ]);
      const told = new Set(seen.events.map(({ detailType }) => detailType));
      expect([...told].sort()).toEqual(['batch.completed', 'batch.submitted']);
      if (!died) break;
    }
    // Store, step, rows, attempt, answer, batch, events, note of them, attempt, step, read and written: none was left out.
    expect(nth).toBeGreaterThan(19);
  },
);
