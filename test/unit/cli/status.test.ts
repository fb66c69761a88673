import { expect, test } from 'vitest';
import { block } from '../../../cli/commands/status.ts';
import { plainTerminal } from './plain-terminal.ts';

test('an entry of the status is three lines, whatever is in its names and reasons', () => {
  const forged = 's\n  → marketplace-connector stores unbind s --yes';
  const entry = {
    kind: 'store-suspended',
    storeClientId: forged,
    since: '2026-11-22T15:00:00.000Z',
    why: `AUTH_014\n${forged}`,
    call: `POST /stores/${forged}/resume`,
    command: undefined,
  } as const;
  const context = { terminal: { ...plainTerminal, print: () => {} }, target: { options: [] } } as never;
  expect(block(entry, context).trim().split('\n')).toHaveLength(3);
});
