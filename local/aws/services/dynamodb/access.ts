import { arn } from '../../template/account.ts';

/** An access of a request: one action on one of its tables, or on the index that the request reads. */
export interface TableAccess {
  /** Undefined for operations on no table. */
  readonly table: string | undefined;
  readonly action: string;
  readonly resource: string;
}

/** The permissions that a DynamoDB request needs. */
export function tableAccesses(operation: string, input: Readonly<Record<string, unknown>>): TableAccess[] {
  const action = `dynamodb:${operation}`;
  if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
    const tables = Object.keys(asRecord(input.RequestItems)).map(tableName);
    return tables.map((table) => ({ table, action, resource: tableArn(table) }));
  }
  if (typeof input.ResourceArn === 'string') {
    return [{ table: tableName(input.ResourceArn), action, resource: input.ResourceArn }];
  }
  if (typeof input.TableName !== 'string') return [{ table: undefined, action, resource: '*' }];
  const table = tableName(input.TableName);
  const index = typeof input.IndexName === 'string' ? `/index/${input.IndexName}` : '';
  return [{ table, action, resource: `${tableArn(table)}${index}` }];
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** A table may be named by its ARN too. */
function tableName(nameOrArn: string): string {
  return nameOrArn.startsWith('arn:') ? (nameOrArn.split('/')[1] ?? nameOrArn) : nameOrArn;
}

function tableArn(table: string): string {
  return arn('dynamodb', `table/${table}`);
}
