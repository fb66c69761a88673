import { expect, test } from 'vitest';
import { planTicks, registerOf } from '../../../tools/bench/hot-path/plan.ts';
import { Random } from '../../simulation/engine/random.ts';

const plan = planTicks({ changes: 4_000, targets: 200, after: 1_000 }, new Random(7));

test('the newest value of a register is the highest version that arrives for it', () => {
  const highest = new Map<string, number>();
  for (const { detailType, version, skus } of plan.arrivals) {
    for (const sku of skus) {
      const register = registerOf(detailType, sku);
      highest.set(register, Math.max(highest.get(register) ?? 0, version));
    }
  }
  expect(plan.newest).toEqual(highest);
});

test('some changes arrive after newer ones, and some twice', () => {
  const versions = plan.arrivals.map(({ version }) => version);
  expect(versions.filter((version, index) => version < (versions[index - 1] ?? 0)).length).toBeGreaterThan(
    10,
  );
  expect(new Set(versions).size).toBe(200);
  expect(versions.length).toBeGreaterThan(200);
});

test('each of the changes of one time is of another target', () => {
  for (const { skus } of plan.arrivals) expect(new Set(skus).size).toBe(skus.length);
});
