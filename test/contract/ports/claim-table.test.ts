import { describe, expect, test } from 'vitest';
import { createClaimTable } from '../../../shared/aws/claim-table.ts';
import { createCommandTable } from '../../../shared/aws/command-table.ts';
import type { CommandClaim } from '../../../shared/commands/model.ts';
import type { ClaimTable } from '../../../shared/commands/ports.ts';
import { inMemoryClaimTable } from '../../doubles/in-memory-claim-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';

const local = useLocalTables();

const claimOf = (packId: string): CommandClaim => ({ packId, claimedAt: '2026-11-21T08:00:00.000Z' });

describe.each<[string, () => ClaimTable]>([
  ['in memory', () => inMemoryClaimTable()],
  ['on DynamoDB', () => createClaimTable(local().client, local().tableName('Commands'))],
])('ClaimTable %s', (_, create) => {
  test('the first claim stands, whole, whoever comes after it', async () => {
    const claims = create();
    const key = freshId('command');
    const first = { ...claimOf('p-1'), discardedAt: '2026-11-21T09:00:00.000Z' };
    expect(await claims.claim(key, first)).toEqual(first);
    expect(await claims.claim(key, claimOf('p-2'))).toEqual(first);
    expect(await claims.claim(key, claimOf('p-1'))).toEqual(first);
  });

  test('of several at the same time all are told of the same one', async () => {
    const claims = create();
    const key = freshId('command');
    const told = await Promise.all(['p-1', 'p-2', 'p-3', 'p-4'].map((id) => claims.claim(key, claimOf(id))));
    expect(new Set(told.map(({ packId }) => packId)).size).toBe(1);
  });

  test('each command has a claim of its own', async () => {
    const claims = create();
    await claims.claim(freshId('command'), claimOf('p-1'));
    expect(await claims.claim(freshId('command'), claimOf('p-2'))).toEqual(claimOf('p-2'));
  });
});

test('a claim is no open step of its table', async () => {
  const tableName = local().tableName('Commands');
  await createClaimTable(local().client, tableName).claim(freshId('command'), claimOf('p-1'));
  const open = await createCommandTable(local().client, tableName).listOpen({
    begunBefore: '9999',
    limit: 100,
  });
  expect(open.steps).toEqual([]);
});
