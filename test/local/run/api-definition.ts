import { z } from 'zod';
import type { HttpRoute } from '../model.ts';
import type { Stack } from '../template/read-stack.ts';

const longestTimeoutMs = 30_000;

const apiProperties = z.strictObject({
  Name: z.string(),
  Description: z.unknown(),
  ProtocolType: z.literal('HTTP'),
  DisableExecuteApiEndpoint: z.literal(false).optional(),
  Tags: z.unknown(),
});

const stageProperties = z.strictObject({
  ApiId: z.string(),
  StageName: z.literal('$default'),
  AutoDeploy: z.literal(true),
  AccessLogSettings: z.unknown(),
  DefaultRouteSettings: z.unknown(),
  Description: z.unknown(),
  Tags: z.unknown(),
});

const routeProperties = z.strictObject({
  ApiId: z.string(),
  RouteKey: z.string(),
  Target: z.string(),
  AuthorizationType: z.enum(['NONE', 'AWS_IAM']).default('NONE'),
});

const integrationProperties = z.strictObject({
  ApiId: z.string(),
  IntegrationType: z.literal('AWS_PROXY'),
  IntegrationUri: z.string(),
  PayloadFormatVersion: z.literal('2.0'),
  TimeoutInMillis: z.number().max(longestTimeoutMs).default(longestTimeoutMs),
  Description: z.unknown(),
});

/** The HTTP API of the stack. */
export interface ApiDefinition {
  readonly id: string;
  readonly routes: readonly HttpRoute[];
}

/**
 * Reads the stack's HTTP API.
 *
 * @returns undefined for a stack without one
 * @throws Error for a second API, and, naming the logical ID, for what the local run does not know: stages with a name,
 * authorizers, integrations other than a function's.
 */
export function stackApi(stack: Stack): ApiDefinition | undefined {
  const [api, second] = stack.ofType('AWS::ApiGatewayV2::Api');
  if (second) throw new Error(`${second.logicalId}: the local run has one HTTP API only`);
  if (!api) return undefined;
  read(api, apiProperties);
  for (const stage of stack.ofType('AWS::ApiGatewayV2::Stage')) read(stage, stageProperties);
  const integrations = new Map(
    stack.ofType('AWS::ApiGatewayV2::Integration').map((one) => [one.ref, read(one, integrationProperties)]),
  );
  const routes = stack.ofType('AWS::ApiGatewayV2::Route').map((resource): HttpRoute => {
    const { RouteKey, Target, AuthorizationType } = read(resource, routeProperties);
    const integration = integrations.get(Target.replace(/^integrations\//, ''));
    if (!integration) throw new Error(`${resource.logicalId}: the stack has no integration ${Target}`);
    const [method = '', path = '$default'] = RouteKey === '$default' ? ['ANY'] : RouteKey.split(' ');
    return {
      method,
      path,
      routeKey: RouteKey,
      authorization: AuthorizationType,
      functionName: functionName(integration.IntegrationUri),
      timeoutMs: integration.TimeoutInMillis,
    };
  });
  return { id: api.ref, routes };
}

/** From the function's ARN, or from the invocation path that holds it. */
function functionName(uri: string): string {
  return /function:([\w-]+)/.exec(uri)?.[1] ?? uri;
}

function read<T>(resource: { logicalId: string; properties: unknown }, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(resource.properties);
  if (!parsed.success) throw new Error(`${resource.logicalId}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
