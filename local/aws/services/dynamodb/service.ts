import type { AccessControl } from '../../gateway/access-control.ts';
import {
  AwsError,
  type AwsResponse,
  type AwsService,
  jsonBody,
  jsonOperation,
} from '../../gateway/messages.ts';
import type { Backend } from '../backend.ts';
import { requireKey } from '../key-access.ts';
import { tableAccesses } from './access.ts';
import type { IndexLag } from './index-lag.ts';
import { refuseBeyondLimits } from './limits.ts';
import type { TableDefinition } from './table-definition.ts';

/** Operations that dynalite lacks. They are refused with an error, so that no caller relies on a missing effect. */
const absent = new Set([
  'TransactWriteItems',
  'TransactGetItems',
  'ExecuteStatement',
  'BatchExecuteStatement',
  'ExecuteTransaction',
  'UpdateTimeToLive',
]);

/**
 * DynamoDB: authorizes, then passes on to dynalite. Access to a table under a customer-managed key needs permission to
 * use the key through DynamoDB.
 */
export function createDynamoDbService(options: {
  backend: Backend;
  access: AccessControl;
  tables: ReadonlyMap<string, TableDefinition>;
  indexLag: IndexLag | undefined;
}): AwsService {
  const { backend, access, tables, indexLag } = options;
  return {
    protocol: 'json',
    async handle(request) {
      const operation = jsonOperation(request);
      if (absent.has(operation)) {
        throw new AwsError('UnknownOperationException', `The local DynamoDB has no ${operation}`);
      }
      const input = jsonBody(request);
      for (const { table, action, resource } of tableAccesses(operation, input)) {
        access.require(request.principal, action, resource);
        const keyArn = table === undefined ? undefined : tables.get(table)?.keyArn;
        requireKey(access, request.principal, 'Decrypt', { arn: keyArn, service: 'dynamodb' });
      }
      refuseIgnoredOption(input);
      refuseBeyondLimits(input, tables);
      const forwarded = { ...request, rawPath: '/', rawQuery: '' };
      if (!indexLag) return backend.forward(forwarded);
      const response: AwsResponse = await backend.forward(indexLag.redirect(operation, input, forwarded));
      if (response.status === 200) await indexLag.follow(operation, input);
      return response;
    },
  };
}

/**
 * Refuses an option that dynalite accepts but ignores: the error would not have the item, and code that relies on it would fail only
 * here.
 */
function refuseIgnoredOption(input: Readonly<Record<string, unknown>>): void {
  if (input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD') {
    throw new AwsError(
      'ValidationException',
      'The local DynamoDB does not return the item of a failed condition (ReturnValuesOnConditionCheckFailure)',
    );
  }
}
