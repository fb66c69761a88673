import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Item, Table } from './items.ts';

/** A condition of a path: attribute names, joined by dots; `list[0]` is the first element of a list. */
type Condition =
  | readonly [path: string, state: 'exists' | 'absent']
  | readonly [path: string, comparison: '<' | '<=' | '=' | '>=' | 'absent or <=', value: unknown]
  | readonly [path: string, comparison: 'fewer than', value: number]
  | readonly [path: string, comparison: 'in', values: readonly unknown[]];

export interface ItemUpdate {
  /** Conditions that must all hold. Default: none. */
  readonly where?: readonly Condition[];
  /** New values by path. `undefined` removes the value at the path. */
  readonly set?: Readonly<Item>;
  /** Values of attributes that the item does not have yet. */
  readonly defaults?: Readonly<Item>;
  readonly add?: Readonly<Record<string, number>>;
  /** Elements to append to a list, which is created if it is missing. */
  readonly append?: Readonly<Record<string, readonly unknown[]>>;
}

/** Updates an item by one conditional write. @returns the new item; `undefined` if a condition does not hold */
export async function updateIf(
  { client, tableName }: Table,
  key: Readonly<Item>,
  { where = [], set = {}, defaults = {}, add = {}, append = {} }: ItemUpdate,
): Promise<Item | undefined> {
  const names: Record<string, string> = {};
  const values: Item = {};
  const path = (text: string) =>
    text.replaceAll(/[^.[\]]+(?!\])/g, (name) => {
      const placeholder = `#${name.replaceAll(/\W/g, '_')}`;
      names[placeholder] = name;
      return placeholder;
    });
  const value = (given: unknown) => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = given;
    return placeholder;
  };
  const conditionOf = ([at, comparison, given]: Condition) => {
    if (comparison === 'absent') return `attribute_not_exists(${path(at)})`;
    if (comparison === 'exists') return `attribute_exists(${path(at)})`;
    if (comparison === 'absent or <=')
      return `(attribute_not_exists(${path(at)}) OR ${path(at)} <= ${value(given)})`;
    if (comparison === 'fewer than') return `size(${path(at)}) < ${value(given)}`;
    if (comparison === 'in') return `${path(at)} IN (${given.map(value).join(', ')})`;
    return `${path(at)} ${comparison} ${value(given)}`;
  };
  const sets = Object.entries(set).filter(([, given]) => given !== undefined);
  const clauses = {
    SET: [
      ...sets.map(([at, given]) => `${path(at)} = ${value(given)}`),
      ...Object.entries(defaults).map(
        ([at, given]) => `${path(at)} = if_not_exists(${path(at)}, ${value(given)})`,
      ),
      ...Object.entries(append).map(
        ([at, given]) =>
          `${path(at)} = list_append(if_not_exists(${path(at)}, ${value([])}), ${value(given)})`,
      ),
    ],
    ADD: Object.entries(add).map(([at, given]) => `${path(at)} ${value(given)}`),
    REMOVE: Object.keys(set)
      .filter((at) => set[at] === undefined)
      .map(path),
  };
  const written = Object.entries(clauses).filter(([, parts]) => parts.length > 0);
  const conditions = where.map(conditionOf);
  const update = new UpdateCommand({
    TableName: tableName,
    Key: key,
    ReturnValues: 'ALL_NEW',
    UpdateExpression: written.map(([verb, parts]) => `${verb} ${parts.join(', ')}`).join(' '),
    ...(conditions.length > 0 && { ConditionExpression: conditions.join(' AND ') }),
    ExpressionAttributeNames: names,
    // DynamoDB refuses an empty set of values.
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  });
  try {
    const { Attributes = {} } = await client.send(update);
    return Attributes;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
