import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type LimitChange, type LimitTable, limitSchema } from '../limits/model.ts';
import { getItem, updateIf } from './items.ts';

/** The Limits table. Every write is one conditional update. */
export function createLimitTable(client: DynamoDBDocumentClient, tableName: string): LimitTable {
  const table = { client, tableName };
  const change: LimitTable['change'] = async (limitId, wanted) => {
    const update = { Key: { limitId }, ReturnValues: 'ALL_NEW' as const, ...expressionsOf(wanted) };
    const changed = await updateIf(table, update);
    return changed && limitSchema.parse(changed);
  };

  return {
    get: async (limitId) => {
      const item = await getItem(table, { limitId });
      return item && limitSchema.parse(item);
    },

    create: async ({ limitId, permits, ...set }) => {
      const names = new Names();
      const entries = Object.entries({ ...set, permits });
      const SET = entries.map(([field, value]) => `${names.path(field)} = ${names.value(value)}`);
      await updateIf(table, {
        Key: { limitId },
        UpdateExpression: `SET ${SET.join(', ')}`,
        ConditionExpression: `attribute_not_exists(${names.path('limitId')})`,
        ...names.expressions,
      });
    },

    change,
  };
}

/** Placeholders of one expression, each name and value written once. */
class Names {
  readonly #names: Record<string, string> = {};
  readonly #values: Record<string, unknown> = {};

  /** `path`: attribute names from the top, joined by dots; IDs of permits have none. */
  path(path: string): string {
    return path
      .split('.')
      .map((name) => {
        const placeholder = `#${name.replaceAll(/\W/g, '_')}`;
        this.#names[placeholder] = name;
        return placeholder;
      })
      .join('.');
  }

  value(value: unknown): string {
    const placeholder = `:v${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  get expressions() {
    const hasValues = Object.keys(this.#values).length > 0;
    // An empty set of values is refused.
    return {
      ExpressionAttributeNames: this.#names,
      ...(hasValues && { ExpressionAttributeValues: this.#values }),
    };
  }
}

function expressionsOf(change: LimitChange) {
  const { where = [], set = {}, add = {}, addPermits = {}, removePermits = [], removeStop = false } = change;
  const names = new Names();
  const assign = ([path, value]: [string, unknown]) => `${names.path(path)} = ${names.value(value)}`;
  const permits = Object.entries(addPermits).map(([id, at]): [string, unknown] => [`permits.${id}`, at]);
  const sets = [...Object.entries(set), ...permits].map(assign);
  const adds = Object.entries(add).map(([field, value]) => `${names.path(field)} ${names.value(value)}`);
  const removed = [...removePermits.map((id) => `permits.${id}`), ...(removeStop ? ['stop'] : [])];
  const removes = removed.map((path) => names.path(path));
  const clause = (verb: string, parts: readonly string[]) =>
    parts.length === 0 ? [] : [`${verb} ${parts.join(', ')}`];
  const conditions = where.map((condition) => {
    const path = names.path(condition[0]);
    if (condition[1] === 'absent') return `attribute_not_exists(${path})`;
    const [field, comparison, value] = condition;
    return `${field === 'permits' ? `size(${path})` : path} ${comparison} ${names.value(value)}`;
  });
  return {
    UpdateExpression: [...clause('SET', sets), ...clause('ADD', adds), ...clause('REMOVE', removes)].join(
      ' ',
    ),
    // An update never makes the item: one without its other attributes could not be read.
    ConditionExpression: [`attribute_exists(${names.path('limitId')})`, ...conditions].join(' AND '),
    ...names.expressions,
  };
}
