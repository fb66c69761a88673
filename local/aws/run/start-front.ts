import { type AccessControl, createAccessControl } from '../gateway/access-control.ts';
import type { AwsService } from '../gateway/messages.ts';
import { startGateway } from '../gateway/server.ts';
import type { InvocationResult } from '../model.ts';
import { account } from '../template/account.ts';
import type { Stack } from '../template/read-stack.ts';
import type { Endpoints } from '../template/resource-types.ts';
import { stackApi } from './api-definition.ts';
import type { RunContext } from './context.ts';
import { stackPolicies } from './policies.ts';
import { startApi } from './start-api.ts';
import type { Functions } from './start-functions.ts';

/** The two ports of a run, and the stack read with their URLs. */
export interface Front {
  readonly stack: Stack;
  readonly endpoints: Endpoints;
  readonly access: AccessControl;
  /** Opens the gateway to the services, and the HTTP API to the functions. */
  connect(behind: { services: ReadonlyMap<string, AwsService>; functions: Functions }): void;
}

/**
 * Opens the ports before the parts behind them start: the template contains queue URLs and the API's URL, and can't be read without these
 * values. A request that arrives too early is answered with an error.
 *
 * @param readStack reads the stack with given URLs
 */
export async function startFront(
  context: RunContext,
  options: { ports: { aws?: number; api?: number }; readStack: (endpoints: Endpoints) => Stack },
): Promise<Front> {
  const { cleanup, clock, credentialStore } = context;
  const services = new Map<string, AwsService>();
  const behind: { functions?: Functions } = {};

  const gateway = await startGateway({
    port: options.ports.aws ?? 0,
    services,
    findCredentials: credentialStore.find,
    clock,
    onError: context.onError,
  });
  cleanup.defer(() => gateway.stop());

  const withoutApi = options.readStack({ aws: gateway.url, api: '' });
  const policies = stackPolicies(withoutApi);
  const access = createAccessControl({ policies, accountId: account.id, clock, onDenied: context.onDenied });
  const definition = stackApi(withoutApi);
  const functionArn = (name: string): string =>
    withoutApi.ofType('AWS::Lambda::Function').find((one) => one.name === name)?.attributes.Arn ?? name;
  const invoke = async (name: string, event: unknown): Promise<InvocationResult> =>
    behind.functions?.invoke(name, event) ?? starting;
  const api = definition
    ? await startApi({ ...context, definition, port: options.ports.api ?? 0, access, invoke, functionArn })
    : undefined;
  if (api) cleanup.defer(() => api.stop());

  const endpoints = { aws: gateway.url, api: api?.url ?? '' };
  return {
    stack: options.readStack(endpoints),
    endpoints,
    access,
    connect(connected) {
      for (const [scope, service] of connected.services) services.set(scope, service);
      behind.functions = connected.functions;
    },
  };
}

const starting: InvocationResult = {
  ok: false,
  errorType: 'ResourceNotReadyException',
  errorMessage: 'The local run is starting',
};
