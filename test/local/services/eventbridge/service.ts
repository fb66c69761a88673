import type { AccessControl } from '../../gateway/access-control.ts';
import {
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonBody,
  jsonOperation,
  jsonResponse,
} from '../../gateway/messages.ts';
import { arn } from '../../template/account.ts';
import type { Buses } from './buses.ts';
import { entryOutcome, readEntries } from './put-events.ts';

/** EventBridge: takes events, and shows its buses and rules. */
export function createEventBridgeService(options: {
  buses: Buses;
  access: AccessControl;
  clock: { now(): number };
}): AwsService {
  const { buses, access, clock } = options;

  function putEvents(request: AwsRequest, input: unknown): AwsResponse {
    const entries = readEntries(input);
    for (const name of new Set(entries.map((entry) => entry.EventBusName.split('/').at(-1) ?? 'default'))) {
      access.require(request.principal, 'events:PutEvents', busArn(name));
    }
    const answers = entries.map((entry) => {
      const outcome = entryOutcome(entry, clock.now());
      if ('code' in outcome) return { ErrorCode: outcome.code, ErrorMessage: outcome.message };
      // An event for a bus that does not exist is taken and goes nowhere, as on the real service.
      buses.publish(outcome.bus, outcome.event);
      return { EventId: outcome.event.id };
    });
    return jsonResponse({
      FailedEntryCount: answers.filter((one) => 'ErrorCode' in one).length,
      Entries: answers,
    });
  }

  function listRules(request: AwsRequest, input: Readonly<Record<string, unknown>>): AwsResponse {
    const bus =
      String(input.EventBusName ?? 'default')
        .split('/')
        .at(-1) ?? 'default';
    access.require(request.principal, 'events:ListRules', busArn(bus));
    const rules = buses.rules(bus).map((rule) => ({
      Name: rule.name,
      Arn: rule.arn,
      EventBusName: rule.bus,
      State: rule.enabled ? 'ENABLED' : 'DISABLED',
      ...(rule.pattern ? { EventPattern: JSON.stringify(rule.pattern) } : {}),
      ...(rule.schedule ? { ScheduleExpression: rule.schedule } : {}),
    }));
    return jsonResponse({ Rules: rules });
  }

  function listTargets(request: AwsRequest, input: Readonly<Record<string, unknown>>): AwsResponse {
    const bus =
      String(input.EventBusName ?? 'default')
        .split('/')
        .at(-1) ?? 'default';
    const rule = buses.rules(bus).find(({ name }) => name === input.Rule);
    if (!rule)
      throw new AwsError(
        'ResourceNotFoundException',
        `Rule ${String(input.Rule)} does not exist on EventBus ${bus}.`,
      );
    access.require(request.principal, 'events:ListTargetsByRule', rule.arn);
    return jsonResponse({ Targets: rule.targets });
  }

  return {
    protocol: 'json',
    async handle(request) {
      const operation = jsonOperation(request);
      const input = jsonBody(request);
      switch (operation) {
        case 'PutEvents':
          return putEvents(request, input);
        case 'ListEventBuses':
          access.require(request.principal, 'events:ListEventBuses', '*');
          return jsonResponse({
            EventBuses: buses.names().map((name) => ({ Name: name, Arn: busArn(name) })),
          });
        case 'ListRules':
          return listRules(request, input);
        case 'ListTargetsByRule':
          return listTargets(request, input);
        default:
          throw new AwsError('UnknownOperationException', `The local EventBridge has no ${operation}`);
      }
    },
  };
}

function busArn(name: string): string {
  return arn('events', `event-bus/${name}`);
}
