import { describe } from 'vitest';
import { createProductTurnTable } from '../../../shared/aws/product-turn-table.ts';
import type { ProductTurnTable } from '../../../shared/products/ports.ts';
import type { ProductTurn } from '../../../shared/products/turn.ts';
import { inMemoryProductTurnTable } from '../../doubles/in-memory-product-turn-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

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
  versionedTableContract<ProductTurn>(() => {
    const turns = create();
    const key = freshId('product');
    return {
      update: (change) => turns.update(key, change),
      numbered: (number) => ({
        ...turn,
        openTurns: turn.openTurns.map((open) => ({ ...open, until: number })),
      }),
      numberOf: ({ openTurns }) => openTurns[0]?.until ?? 0,
    };
  });
});
