import { expect, test } from 'vitest';
import type { Listing } from '../../../../shared/listings/model.ts';
import { mergeChange } from '../../../../shared/listings/rules/merge-change.ts';
import { learnAliases } from '../../../../shared/listings/use-cases/learn-aliases.ts';
import { inMemoryListingTable } from '../../../doubles/in-memory-listing-table.ts';
import type { Step } from '../../../doubles/step.ts';
import { VersionedItems } from '../../../doubles/versioned-items.ts';
import { Random } from '../../../simulation/engine/random.ts';

const STORE = 'store';
const SEEDS = Array.from({ length: 300 }, (_, index) => index + 1);

/** Lets the operations of several go on in an order drawn by a seed. */
function interleaving(seed: number) {
  const random = new Random(seed);
  const waiting: (() => void)[] = [];
  const step: Step = (_, effect) =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(effect());
        } catch (error) {
          reject(error);
        }
      });
    });
  /** Ends when `work` has: between two operations everybody goes on as far as he can. */
  const run = async (work: Promise<unknown>) => {
    let isOver = false;
    void work.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise(setImmediate);
      if (waiting.length > 0) waiting.splice(random.integer(0, waiting.length - 1), 1)[0]?.();
    }
    await work;
  };
  return { step, run };
}

test.each([
  ['two SKUs, as the marketplace folds their case', ['sku:a', 'sku:A', 'id:1'], ['sku:A', 'id:1', 'sku:a']],
  ['two IDs', ['id:1', 'id:2'], ['id:2', 'id:1']],
  ['a SKU and an ID', ['sku:a', 'id:1'], ['id:1', 'sku:a']],
])('joins of %s at the same time leave one listing, with the newest value', async (_, one, other) => {
  for (const seed of SEEDS) {
    const { step, run } = interleaving(seed);
    const items = new VersionedItems<Listing>();
    const table = inMemoryListingTable(undefined, items);
    for (const [index, target] of one.entries()) {
      const values = { stock: index };
      const change = {
        storeClientId: STORE,
        target,
        versionKind: 'integer',
        version: index,
        values,
      } as const;
      await table.update(STORE, target, (current) => {
        const merge = mergeChange(current, change, 1000);
        return merge.result === 'changed' ? merge.listing : undefined;
      });
    }
    const ports = { listings: inMemoryListingTable(step, items), clock: { now: () => 2000 } };
    await run(Promise.all([learnAliases(ports, STORE, one), learnAliases(ports, STORE, other)]));
    const keepers = items.all().filter(({ aliasOf }) => aliasOf === undefined);
    const newest = one.length - 1;
    expect(keepers, `seed ${seed}`).toMatchObject([
      { desired: { stock: { value: newest, version: newest } } },
    ]);
  }
});
