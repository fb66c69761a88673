import { expect, test } from 'vitest';
import { renderTrace } from '../../../cli/render/trace.ts';

test('a timeline has the date of each day on its first step, in UTC', () => {
  const step = { what: 'value.sent', storeClientId: 's' } as const;
  const times = ['2026-11-21T23:59:58.000Z', '2026-11-21T23:59:59.000Z', '2026-11-22T00:00:01.000Z'];
  const trace = { subject: { target: 'sku:A' }, steps: times.map((at) => ({ ...step, at })) };
  const terminal = { width: 200, style: (_: unknown, text: string) => text };
  const [, header = '', ...lines] = renderTrace(trace, terminal).split('\n');
  expect(header).toMatch(/^2026-11-21 UTC /);
  expect(lines.map((line) => line.trim().split('  ')[0])).toEqual([
    '23:59:58.000',
    '23:59:59.000',
    '2026-11-22 00:00:01.000',
  ]);
});
