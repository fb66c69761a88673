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

const MOST_ITEM_BYTES = 400 * 1_024;

/**
 * Refuses what DynamoDB refuses and dynalite accepts: an expression above 4 KB, an empty text as the key of an index,
 * values that nest more than 32 levels deep, and keys and items that are too large in UTF-8, where dynalite counts characters.
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
    if (bytesOf({ M: item }) > MOST_ITEM_BYTES)
      throw invalid('Item size has exceeded the maximum allowed size');
    for (const [attribute, most] of tables.get(table)?.keyBytes ?? [])
      refuseKey(attribute, item[attribute], most);
  }
}

function refuseKey(attribute: string, value: unknown, most: number): void {
  const { S: text } = asRecord(value);
  if (text === '')
    throw invalid(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${attribute}`,
    );
  if (Buffer.byteLength(String(text ?? '')) > most)
    throw invalid(
      `One or more parameter values were invalid: Size of ${attribute} has exceeded ${most} bytes`,
    );
}

/** The items that a request puts, and the keys that it names. */
function itemsIn(input: Input): { table: string; item: Input }[] {
  const single = input.Item ?? input.Key;
  if (single !== undefined) return [{ table: String(input.TableName), item: asRecord(single) }];
  return Object.entries(asRecord(input.RequestItems)).flatMap(([table, requests]) => {
    const entries = Array.isArray(requests) ? requests.map(writtenItem) : asRecord(requests).Keys;
    return Array.isArray(entries) ? entries.map((item) => ({ table, item: asRecord(item) })) : [];
  });
}

function writtenItem(request: unknown): unknown {
  const { PutRequest, DeleteRequest } = asRecord(request);
  return asRecord(PutRequest).Item ?? asRecord(DeleteRequest).Key;
}

/** Approximately the size that DynamoDB counts. */
function bytesOf(value: unknown): number {
  const [[type, content] = ['', undefined]] = Object.entries(asRecord(value));
  if (type === 'L') return (content as unknown[]).reduce<number>((sum, inner) => sum + 1 + bytesOf(inner), 3);
  if (type === 'M')
    return Object.entries(asRecord(content)).reduce(
      (sum, [name, inner]) => sum + 1 + Buffer.byteLength(name) + bytesOf(inner),
      3,
    );
  const bytes = Buffer.byteLength(String(content), type === 'B' ? 'base64' : 'utf8');
  return type === 'N' ? Math.ceil(bytes / 2) + 1 : bytes;
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
