import type { Backend } from '../backend.ts';
import { followerName } from './index-lag.ts';
import type { TableDefinition } from './table-definition.ts';

/** Creates missing tables, and their followers if global indexes lag. */
export async function createTables(
  backend: Backend,
  tables: Iterable<TableDefinition>,
  options: { followers: boolean },
): Promise<void> {
  const { TableNames } = await backend.json<{ TableNames: string[] }>('DynamoDB_20120810.ListTables', {});
  const existing = new Set(TableNames);
  for (const { name, create, globalIndexes } of tables) {
    const wanted = options.followers && globalIndexes.length > 0 ? [name, followerName(name)] : [name];
    for (const TableName of wanted.filter((one) => !existing.has(one))) {
      await backend.json('DynamoDB_20120810.CreateTable', { ...create, TableName });
    }
  }
}
