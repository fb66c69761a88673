import { ARCHIVED } from '../../shared/settings/stack-rules.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import type { ConnectorFunction } from '../constructs/connector-function.ts';

/** The grants of every function that performs commands. `test/infra/grants.txt` lists all grants of each function. */
export function allowCommands(
  { tables, buckets, bus, marketplace }: ConnectorParts,
  fn: ConnectorFunction,
): void {
  marketplace.allowRequests(fn);
  tables.requests.allow(fn, 'GetItem', 'BatchGetItem', 'PutItem', 'BatchWriteItem');
  tables.rejections.allow(fn, 'BatchWriteItem');
  buckets.archive.allowGet(fn, ARCHIVED.requests);
  buckets.archive.allowPut(fn, ARCHIVED.requests);
  buckets.archive.allowGet(fn, ARCHIVED.messages);
  bus.allowPut(fn);
}
