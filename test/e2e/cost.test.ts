import { expect, test } from 'vitest';
import { measureCosts } from '../../tools/cost/cost-table.ts';
import { readUsd } from '../../tools/cost/page.ts';

/** How long all cases may take, in milliseconds. */
const WITHIN_MS = 900_000;
/** How often a lane is looked at depends on how fast this machine is, and a pause is drawn at random. */
const TOLERANCE = 0.2;

test(
  'every case costs what docs/cost.md says (else: npm run cost -- --write)',
  async () => {
    const said = readUsd();
    const measured = await measureCosts();
    expect(measured.map(({ title }) => title)).toEqual([...said.keys()]);
    for (const { title, bill } of measured) {
      const usd = said.get(title) ?? 0;
      expect(Math.abs(bill.usd - usd), `${title}: ${bill.usd}, not ${usd}`).toBeLessThan(usd * TOLERANCE);
    }
  },
  WITHIN_MS,
);
