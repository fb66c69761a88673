import { describe, expect, test } from 'vitest';
import { createProductTurnTable } from '../../../shared/aws/product-turn-table.ts';
import type { ProductTurnTable } from '../../../shared/products/ports.ts';
import type { ProductTurn } from '../../../shared/products/turn.ts';
import { inMemoryProductTurnTable } from '../../doubles/in-memory-product-turn-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';

const local = useLocalTables();

const version = { time: 1_795_257_644_000, commandId: 'c-1' };
const turn: ProductTurn = {
  fields: { name: version },
  openTurns: [{ ...version, turnId: 't-1', fields: ['name'], until: version.time + 30_000 }],
  updatedAt: '2026-11-21T08:00:00.000Z',
};

describe.each<[string, () => ProductTurnTable]>([
  ['in memory', () => inMemoryProductTurnTable()],
  ['on DynamoDB', () => createProductTurnTable(local().client, local().tableName('Commands'))],
])('ProductTurnTable %s', (_, create) => {
  test('a turn that is taken is found again whole', async () => {
    const turns = create();
    const key = freshId('product');
    await turns.update(key, () => turn);
    expect(await turns.update(key, () => undefined)).toEqual(turn);
  });

  test('two who ask at the same time see each other', async () => {
    const turns = create();
    const key = freshId('product');
    const add = (turnId: string) =>
      turns.update(key, (current) => ({
        ...turn,
        openTurns: [...(current?.openTurns ?? []), { ...version, turnId, fields: [], until: 0 }],
      }));
    await Promise.all([add('t-1'), add('t-2')]);
    const known = await turns.update(key, () => undefined);
    expect(known?.openTurns.map(({ turnId }) => turnId).toSorted()).toEqual(['t-1', 't-2']);
  });
});
