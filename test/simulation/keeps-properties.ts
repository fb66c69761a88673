import { expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';

/** Tests, each seed by itself, that no property is violated in any scenario. */
export function keepsProperties(first: number, last: number): void {
  const seeds = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  test.each(seeds)(
    'the simulated connector keeps all its properties under every fault in seed %i',
    async (seed) => {
      const { violation } = await runSeed(seed);
      expect(violation, `npm run simulate -- --seed ${seed}`).toBeUndefined();
    },
  );
}
