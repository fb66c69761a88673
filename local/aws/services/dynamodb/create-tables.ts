import type { ResourceKind } from '../../run/create-resources.ts';
import type { Backend } from '../backend.ts';
import { followerName } from './index-lag.ts';
import type { TableDefinition } from './table-definition.ts';
import { createTable, tableNames, updateTable } from './update-table.ts';

/**
 * Creates missing tables, and adds new indexes to existing ones. If global indexes lag, each table gets its follower.
 *
 * @param definitions of the stack, by name
 */
export function tableKind(
  backend: Backend,
  definitions: ReadonlyMap<string, TableDefinition>,
  options: { followers: boolean },
): ResourceKind {
  const namesOf = (name: string): string[] => {
    const hasFollower = options.followers && (definitions.get(name)?.globalIndexes.length ?? 0) > 0;
    return hasFollower ? [name, followerName(name)] : [name];
  };
  return {
    async create({ name }) {
      const definition = definitions.get(name);
      if (definition === undefined) throw new Error(`the stack has no table ${name}`);
      const found = await tableNames(backend);
      for (const TableName of namesOf(name)) {
        if (found.includes(TableName)) await updateTable(backend, TableName, definition);
        else await createTable(backend, TableName, definition);
      }
      return !found.includes(name);
    },
    async remove({ name, properties }) {
      if (properties.DeletionProtectionEnabled === true) throw new Error('the table refuses deletion');
      for (const TableName of namesOf(name))
        await backend.json('DynamoDB_20120810.DeleteTable', { TableName });
    },
  };
}
