import type { AccessControl } from '../../gateway/access-control.ts';
import { AwsError, type AwsService, jsonBody, jsonOperation, jsonResponse } from '../../gateway/messages.ts';
import type { Buses } from './buses.ts';
import { deleteRule, disableRule, enableRule } from './change-rule.ts';
import { putTargets, removeTargets } from './change-targets.ts';
import type { Operation } from './operation.ts';
import { putEvents } from './put-events.ts';
import { putRule } from './put-rule.ts';
import { describeRule, listEventBuses, listRules, listTargetsByRule } from './show-rules.ts';

const operations: ReadonlyMap<string, Operation> = new Map([
  ['PutEvents', putEvents],
  ['PutRule', putRule],
  ['EnableRule', enableRule],
  ['DisableRule', disableRule],
  ['DeleteRule', deleteRule],
  ['PutTargets', putTargets],
  ['RemoveTargets', removeTargets],
  ['DescribeRule', describeRule],
  ['ListRules', listRules],
  ['ListTargetsByRule', listTargetsByRule],
  ['ListEventBuses', listEventBuses],
]);

/** EventBridge: accepts events, and shows and changes rules. */
export function createEventBridgeService(options: {
  buses: Buses;
  access: AccessControl;
  clock: { now(): number };
}): AwsService {
  return {
    protocol: 'json',
    async handle(request) {
      const name = jsonOperation(request);
      const operation = operations.get(name);
      if (!operation) throw new AwsError('UnknownOperationException', `The local EventBridge has no ${name}`);
      const { principal } = request;
      return jsonResponse(operation({ ...options, principal, input: jsonBody(request) }));
    },
  };
}
