import type { AwsRequest, AwsResponse, AwsService } from '../../../local/aws/gateway/messages.ts';
import { jsonBody, jsonOperation } from '../../../local/aws/gateway/messages.ts';
import type { Bill } from './bill.ts';
import type { StoredItem } from './item-size.ts';
import { type DescribedTable, refusedWriteUnits, writeUnits } from './write-units.ts';

interface Input {
  readonly TableName?: string;
  readonly Key?: StoredItem;
  readonly Item?: StoredItem;
  readonly ConsistentRead?: boolean;
  readonly RequestItems?: Readonly<Record<string, unknown>>;
}

interface Write {
  readonly table: string;
  readonly key: StoredItem;
}

const reads = new Set(['GetItem', 'Query', 'Scan', 'BatchGetItem']);
const writes = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);

/** The least units of a read: of one that found nothing. */
const LEAST_UNITS = { strong: 1, eventual: 0.5 };

interface DynamoDbBills {
  readonly bill: Bill;
  /** The part of `bill` that is about the Listings table. */
  readonly ofListings: Bill;
}

/** DynamoDB, with the units that functions use added to the bills. */
export function meteredDynamoDb(service: AwsService, { bill, ofListings }: DynamoDbBills): AwsService {
  const add = (table: string, meter: 'readUnit' | 'writeUnit', units: number): void => {
    bill.add(meter, units);
    if (table.includes('TablesListings')) ofListings.add(meter, units);
  };
  const tables = new Map<string, Promise<DescribedTable>>();

  /** A call of the meter's own, with the permissions of the one it is about. */
  const ask = async <T>(request: AwsRequest, operation: string, input: unknown): Promise<T> => {
    const headers = { ...request.headers, 'x-amz-target': `DynamoDB_20120810.${operation}` };
    const { 'content-length': _, ...own } = headers;
    const principal = { ...request.principal, kind: 'administrator' as const };
    const body = Buffer.from(JSON.stringify(input));
    return readJson<T>(await service.handle({ ...request, headers: own, principal, body }));
  };
  const describe = (request: AwsRequest, name: string): Promise<DescribedTable> => {
    const known = tables.get(name);
    if (known !== undefined) return known;
    const asked = ask<{ Table: DescribedTable }>(request, 'DescribeTable', { TableName: name });
    const table = asked.then(({ Table }) => Table);
    tables.set(name, table);
    return table;
  };
  const imageOf = async (request: AwsRequest, { table, key }: Write): Promise<StoredItem | undefined> => {
    const input = { TableName: table, Key: key, ConsistentRead: true };
    return (await ask<{ Item?: StoredItem }>(request, 'GetItem', input)).Item;
  };
  const writesOf = async (request: AwsRequest, input: Input): Promise<Write[]> => {
    if (input.TableName !== undefined) {
      const { KeySchema } = await describe(request, input.TableName);
      return [{ table: input.TableName, key: keyOf(KeySchema, input.Key ?? input.Item ?? {}) }];
    }
    const found: Write[] = [];
    for (const [table, requests] of Object.entries(input.RequestItems ?? {})) {
      const { KeySchema } = await describe(request, table);
      for (const one of requests as { PutRequest?: Input; DeleteRequest?: Input }[]) {
        const item = one.PutRequest?.Item ?? one.DeleteRequest?.Key ?? {};
        found.push({ table, key: keyOf(KeySchema, item) });
      }
    }
    return found;
  };

  async function write(request: AwsRequest, input: Input): Promise<AwsResponse> {
    const written = await writesOf(request, input);
    const before = await Promise.all(written.map((one) => imageOf(request, one)));
    const response = await service.handle(request);
    for (const [index, one] of written.entries()) {
      if (response.status !== 200) {
        add(one.table, 'writeUnit', refusedWriteUnits(before[index]));
        continue;
      }
      const table = await describe(request, one.table);
      add(one.table, 'writeUnit', writeUnits(table, before[index], await imageOf(request, one)));
    }
    return response;
  }

  /** The units of a read are DynamoDB's own figure, but for what found nothing. */
  async function read(request: AwsRequest, operation: string, input: Input): Promise<AwsResponse> {
    const body = Buffer.from(JSON.stringify({ ...input, ReturnConsumedCapacity: 'TOTAL' }));
    const { 'content-length': _, ...headers } = request.headers;
    const response = await service.handle({ ...request, headers, body });
    if (response.status !== 200) return response;
    const answer = readJson<Answer>(response);
    const least = input.ConsistentRead === true ? LEAST_UNITS.strong : LEAST_UNITS.eventual;
    if (operation === 'BatchGetItem') {
      for (const [table, units] of batchUnits(input, answer)) add(table, 'readUnit', units);
    } else {
      const units = Math.max(least, answer.ConsumedCapacity?.CapacityUnits ?? 0);
      add(input.TableName ?? '', 'readUnit', units);
    }
    return response;
  }

  return {
    protocol: service.protocol,
    handle: (request) => {
      if (request.principal.kind !== 'role') return service.handle(request);
      const operation = jsonOperation(request);
      const input = jsonBody(request) as Input;
      if (writes.has(operation)) return write(request, input);
      if (reads.has(operation)) return read(request, operation, input);
      return service.handle(request);
    },
  };
}

interface Answer {
  readonly ConsumedCapacity?: { readonly CapacityUnits: number };
  readonly Responses?: Readonly<Record<string, readonly StoredItem[]>>;
}

/** Units by table. Each item is rounded up by itself. The figure includes items that are missing: they count as the smallest. */
function batchUnits({ RequestItems = {} }: Input, answer: Answer): [table: string, units: number][] {
  const consumed = (answer.ConsumedCapacity ?? []) as unknown as {
    TableName: string;
    CapacityUnits: number;
  }[];
  return Object.entries(RequestItems).map(([table, asked]) => {
    const { Keys, ConsistentRead } = asked as { Keys: StoredItem[]; ConsistentRead?: boolean };
    const least = ConsistentRead === true ? LEAST_UNITS.strong : LEAST_UNITS.eventual;
    const units = consumed.find(({ TableName }) => TableName === table)?.CapacityUnits ?? 0;
    return [table, Math.max(units, least * Keys.length)];
  });
}

function keyOf(schema: DescribedTable['KeySchema'], item: StoredItem): StoredItem {
  return Object.fromEntries(schema.map(({ AttributeName: name }) => [name, item[name] ?? {}]));
}

function readJson<T>({ body }: AwsResponse): T {
  return JSON.parse(body.toString()) as T;
}
