import type { AccessControl } from '../gateway/access-control.ts';
import type { CredentialStore } from '../gateway/credential-store.ts';
import { startHttpApi } from '../http-api/server.ts';
import type { LoopbackServer } from '../loopback-server.ts';
import type { HttpRoute, InvocationResult, Log } from '../model.ts';
import type { Observer } from '../observer.ts';
import { account } from '../template/account.ts';
import type { ApiDefinition } from './api-definition.ts';

/** Serves the stack's HTTP API, and invokes the functions that permit it. */
export function startApi(options: {
  definition: ApiDefinition;
  port: number;
  credentialStore: CredentialStore;
  access: AccessControl;
  /** Called for each request. The functions start after the API, because their environment may have its URL. */
  invoke: (functionName: string, event: unknown) => Promise<InvocationResult>;
  functionArn: (functionName: string) => string;
  clock: { now(): number };
  log: Log;
  observer: Observer;
}): Promise<LoopbackServer> {
  const { definition } = options;

  async function invoke(route: HttpRoute, event: unknown, sourceArn: string): Promise<InvocationResult> {
    const functionArn = options.functionArn(route.functionName);
    const decision = options.access.checkService(
      'apigateway.amazonaws.com',
      'lambda:InvokeFunction',
      functionArn,
      sourceArn,
    );
    if (!decision.allowed)
      return { ok: false, errorType: 'AccessDeniedException', errorMessage: decision.reason };
    return options.invoke(route.functionName, event);
  }

  return startHttpApi({
    port: options.port,
    routes: definition.routes,
    region: account.region,
    accountId: account.id,
    apiId: definition.id,
    clock: options.clock,
    lookupCredentials: options.credentialStore.find,
    authorize: (principal, action, resource) => options.access.check(principal, action, resource),
    invoke,
    log: options.log,
    observer: options.observer,
    ...(definition.throttling ? { throttling: definition.throttling } : {}),
  });
}
