import type { ResourceKind } from '../../run/create-resources.ts';
import type { Backend } from '../backend.ts';
import { followerName } from './index-lag.ts';
import type { TableDefinition } from './table-definition.ts';

/**
 * Tables that are created where they are missing, each with its follower if global indexes lag.
 *
 * @param definitions of the stack, by name
 */
export function tableKind(
  backend: Backend,
  definitions: ReadonlyMap<string, TableDefinition>,
  options: { followers: boolean },
): ResourceKind {
  const existing = async (): Promise<string[]> =>
    (await backend.json<{ TableNames: string[] }>('DynamoDB_20120810.ListTables', {})).TableNames;
  const namesOf = (name: string): string[] => {
    const hasFollower = options.followers && (definitions.get(name)?.globalIndexes.length ?? 0) > 0;
    return hasFollower ? [name, followerName(name)] : [name];
  };
  return {
    async create({ name }) {
      const found = await existing();
      const missing = namesOf(name).filter((one) => !found.includes(one));
      for (const TableName of missing) {
        await backend.json('DynamoDB_20120810.CreateTable', { ...definitions.get(name)?.create, TableName });
      }
      return missing.includes(name);
    },
    async remove({ name, properties }) {
      if (properties.DeletionProtectionEnabled === true) throw new Error('the table refuses deletion');
      for (const TableName of namesOf(name))
        await backend.json('DynamoDB_20120810.DeleteTable', { TableName });
    },
  };
}
