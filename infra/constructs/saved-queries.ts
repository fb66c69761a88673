import { Stack } from 'aws-cdk-lib';
import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { commandPerformers, type FunctionName, marketplaceCallers } from '../function-names.ts';
import type { ConnectorFunction } from './connector-function.ts';

interface SavedQuery {
  /** The functions whose logs are searched. Default: all functions. */
  readonly of?: readonly FunctionName[];
  readonly fields?: string;
  readonly filter: string;
  readonly stats?: string;
  /** Order of the result. Default: by time, the last first. */
  readonly sort?: string;
}

/** The queries by name. The runbook uses the names. */
const QUERIES: Readonly<Record<string, SavedQuery>> = {
  'follow-an-id': {
    fields:
      '@timestamp, service, level, message, storeClientId, recordId, requestId, batchId, outcome, code, reason, @message',
    // Replace the placeholder by the ID of an event, command, request, batch or message, or by a listing such as sku:A-1.
    filter: '@message like "REPLACE-WITH-AN-ID"',
    sort: '@timestamp asc',
  },
  errors: {
    fields: '@timestamp, service, message, error, code, reason, messageId, storeClientId',
    filter: 'level = "ERROR" or @message like /Task timed out|Runtime exited/',
  },
  'errors-by-code': {
    filter: 'level = "ERROR"',
    stats: 'count(*) as lines, latest(reason) as lastReason by service, error, code',
    sort: 'lines desc',
  },
  'requests-by-outcome': {
    of: marketplaceCallers,
    filter: 'message = "request ended"',
    stats:
      'count(*) as requests, pct(durationMs, 50), pct(durationMs, 99) by method, path, outcome, status, code',
    sort: 'requests desc',
  },
  'failed-requests': {
    of: marketplaceCallers,
    fields: '@timestamp, service, storeClientId, path, status, code, outcome, requestId, recordId',
    filter: 'message = "request ended" and outcome != "accepted"',
  },
  'lanes-left': {
    of: ['listing-producer'],
    fields: '@timestamp, storeClientId, ended, refusal.code, refusal.message, refusal.requestId',
    filter: 'message = "lane processed" and ended != "drained"',
  },
  'deferred-commands': {
    of: commandPerformers,
    filter: 'message = "command deferred"',
    stats: 'count(*) as deferrals, count_distinct(commandId) as commands by service, storeClientId, code',
    sort: 'deferrals desc',
  },
  'refused-webhooks': {
    of: ['webhook-receiver'],
    filter: 'message = "request refused"',
    stats: 'count(*) as webhooks, latest(@timestamp) by status, code, reason',
    sort: 'webhooks desc',
  },
  'failed-api-calls': {
    of: ['operations-api', 'onboarding-callback', 'webhook-receiver'],
    fields: '@timestamp, service, apiRequestId, status, code, error, reason',
    filter: 'message = "request failed" or (message = "request refused" and status >= 500)',
  },
  'longest-invocations': {
    fields: '@timestamp, @log, @duration, @maxMemoryUsed, @requestId',
    filter: '@type = "REPORT"',
    sort: '@duration desc',
  },
};

/** Queries of CloudWatch Logs Insights over the functions' logs, saved under the stack's name. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, functions: Readonly<Record<FunctionName, ConnectorFunction>>) {
    super(scope, id);
    const all = Object.keys(functions) as FunctionName[];
    for (const [name, { of = all, fields, filter, stats, sort = '@timestamp desc' }] of Object.entries(
      QUERIES,
    )) {
      new QueryDefinition(this, name, {
        queryDefinitionName: `${Stack.of(this).stackName}/${name}`,
        queryString: new QueryString({
          ...(fields && { fields: [fields] }),
          filterStatements: [filter],
          ...(stats && { statsStatements: [stats] }),
          sort,
          limit: 1_000,
        }),
        logGroups: of.map((functionName) => functions[functionName].lambda.logGroup),
      });
    }
  }
}
