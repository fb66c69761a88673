import { AwsError } from '../../gateway/messages.ts';
import { asRecord } from './access.ts';
import type { TableDefinition } from './table-definition.ts';

type Input = Readonly<Record<string, unknown>>;

const EXPRESSIONS = [
  'UpdateExpression',
  'ConditionExpression',
  'KeyConditionExpression',
  'FilterExpression',
  'ProjectionExpression',
];
const MOST_EXPRESSION_BYTES = 4_096;
const MOST_LEVELS = 32;

/**
 * Refuses what DynamoDB refuses and dynalite accepts: an expression above 4 KB, an empty text as the key of a global
 * index, and values that nest more than 32 levels deep.
 *
 * @throws AwsError ValidationException
 */
export function refuseBeyondLimits(input: Input, tables: ReadonlyMap<string, TableDefinition>): void {
  for (const name of EXPRESSIONS) {
    const bytes = Buffer.byteLength(String(input[name] ?? ''));
    if (bytes > MOST_EXPRESSION_BYTES)
      throw invalid(
        `Invalid ${name}: Expression size has exceeded the maximum allowed size; expression size: ${bytes}`,
      );
  }
  if (isTooDeep(input.ExpressionAttributeValues, MOST_LEVELS)) throw tooDeep();
  for (const { table, item } of itemsIn(input)) {
    if (isTooDeep(item, MOST_LEVELS)) throw tooDeep();
    const empty = tables
      .get(table)
      ?.indexKeyAttributes.find((attribute) => asRecord(item[attribute]).S === '');
    if (empty !== undefined)
      throw invalid(
        `One or more parameter values are not valid. The AttributeValue for a key attribute of a secondary index cannot contain an empty string value. IndexKey: ${empty}`,
      );
  }
}

/** The items that a request puts. */
function itemsIn(input: Input): { table: string; item: Input }[] {
  if (input.Item !== undefined) return [{ table: String(input.TableName), item: asRecord(input.Item) }];
  return Object.entries(asRecord(input.RequestItems)).flatMap(([table, requests]) =>
    Array.isArray(requests)
      ? requests.map((request) => ({ table, item: asRecord(asRecord(asRecord(request).PutRequest).Item) }))
      : [],
  );
}

/** @param values by name, each as `{S: …}`, `{M: {…}}`, `{L: […]}` and so on. A map or list is one level. */
function isTooDeep(values: unknown, levels: number): boolean {
  return Object.values(asRecord(values)).some((value) => {
    const { M, L } = asRecord(value);
    const inner = M ?? L;
    return inner !== undefined && (levels === 0 || isTooDeep(inner, levels - 1));
  });
}

function tooDeep(): AwsError {
  return invalid('Nesting Levels have exceeded supported limits');
}

function invalid(message: string): AwsError {
  return new AwsError('ValidationException', message);
}
