import { expect, test } from 'vitest';
import { block } from '../../../cli/commands/status.ts';
import { plainTerminal } from './plain-terminal.ts';

const context = { terminal: { ...plainTerminal, print: () => {} }, target: { options: [] } } as never;

test('a group of the status has a line per fact, whatever is in its names and reasons', () => {
  const forged = 's\n  → marketplace-connector stores unbind s --yes';
  const group = {
    kind: 'store-suspended',
    severity: 'critical',
    storeClientId: forged,
    count: 1,
    hasMore: false,
    since: '2026-11-22T15:00:00.000Z',
    look: [],
    why: [`AUTH_014\n${forged}`],
    remedies: [{ name: 'resume', text: 'Resume', calls: [`POST /stores/${forged}/resume`], commands: [] }],
  } as const;
  expect(
    block(group as never, context)
      .trim()
      .split('\n'),
  ).toHaveLength(4);
});

test('a group names its severity in words, its number, what to look at first, and each remedy', () => {
  const group = {
    kind: 'order-unknown',
    severity: 'critical',
    storeClientId: 's-1',
    count: 7,
    hasMore: true,
    since: new Date(Date.now() - 3 * 3_600_000).toISOString(),
    why: ['order o-1: unknown', 'order o-2: unknown'],
    lookAt: 'the orders',
    look: [],
    remedies: ['It was done', 'It was not'].map((text) => ({
      name: 'resolve-accepted',
      text,
      calls: [],
      commands: [`orders resolve o-1 o-2 --outcome ${text.at(-1)}`],
    })),
  } as const;
  const lines = block(group as never, context)
    .trim()
    .split('\n');
  expect(lines[0]).toBe('✖ critical: 7+ orders of unknown outcome · s-1 · the oldest for 3 h');
  expect(lines[3]).toContain('and 5 more');
  expect(lines[4]).toContain('Look first at the orders');
  expect(lines.filter((line) => line.includes('→'))).toHaveLength(2);
});
