import { expect, test, vi } from 'vitest';
import { countRejections, metrics } from '../../../shared/lambda/observability.ts';

test('only known codes are dimensions of a metric: the marketplace chooses the others', () => {
  const dimensions: [string | undefined, number][] = [];
  const single = vi.spyOn(metrics, 'singleMetric').mockImplementation(() => {
    let code: string | undefined;
    return {
      addDimension: (_: string, value: string) => {
        code = value;
      },
      addMetric: (_: string, __: string, count: number) => void dimensions.push([code, count]),
    } as never;
  });
  countRejections({ INV_001: 2, ROW_INVALID: 1, 'x-1': 3, 'x-2': 4 });
  single.mockRestore();
  expect(dimensions).toEqual([
    ['INV_001', 2],
    ['ROW_INVALID', 1],
    ['other', 7],
  ]);
});
