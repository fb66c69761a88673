import { describe, expect, test } from 'vitest';
import type { TourLine } from '../../../../local/tour/context.ts';
import { tourTable } from '../../../../local/tour/report.ts';

const line = (fields: Partial<TourLine> = {}): TourLine => ({
  step: 'catalog file',
  sent: '1000 products',
  requests: 10,
  accepted: 1000,
  rejected: 1,
  comparison: '1000 of 1000 listed',
  holds: true,
  ...fields,
});
const plain = (_style: string, text: string) => text;
const coloured = (style: string, text: string) => `<${style}>${text}`;

describe('the table of the tour', () => {
  test('says of each step what was sent and compared', () => {
    expect(tourTable([line(), line({ step: 'price', holds: false })], plain)).toBe(
      [
        'result  step          requests  accepted  rejected  sent, and its comparison with the marketplace',
        '-'.repeat(100),
        'holds   catalog file        10      1000         1  1000 products',
        '                                                    1000 of 1000 listed',
        'FAILS   price               10      1000         1  1000 products',
        '                                                    1000 of 1000 listed',
      ].join('\n'),
    );
  });

  test('takes 100 columns at most, whatever the texts', () => {
    const long = line({ sent: 'many words '.repeat(20), comparison: 'x'.repeat(250) });
    const rows = tourTable([long], plain).split('\n');
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(100);
    expect(rows.join('').match(/x/g)).toHaveLength(250);
    expect(rows.join('').match(/many/g)).toHaveLength(20);
  });

  test('is green for what holds and red for what does not', () => {
    const table = tourTable([line(), line({ holds: false })], coloured);
    expect(table).toContain('<green>holds');
    expect(table).toContain('<red>FAILS');
  });
});
