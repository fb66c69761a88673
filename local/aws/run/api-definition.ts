import * as z from 'zod';
import type { Throttling } from '../http-api/throttle.ts';
import type { HttpRoute } from '../model.ts';
import { TemplateError } from '../template/cloudformation.ts';
import { readProperties } from '../template/read-properties.ts';
import type { Stack, StackResource } from '../template/read-stack.ts';

const longestTimeoutMs = 30_000;

const apiProperties = z.strictObject({
  Name: z.string(),
  Description: z.unknown().optional(),
  ProtocolType: z.literal('HTTP'),
  DisableExecuteApiEndpoint: z.literal(false).optional(),
  Tags: z.unknown().optional(),
});

const routeSettings = z.strictObject({
  ThrottlingBurstLimit: z.number().optional(),
  ThrottlingRateLimit: z.number().optional(),
  DetailedMetricsEnabled: z.unknown().optional(),
});

const stageProperties = z.strictObject({
  ApiId: z.string(),
  StageName: z.literal('$default'),
  AutoDeploy: z.literal(true),
  AccessLogSettings: z.unknown().optional(),
  DefaultRouteSettings: routeSettings.prefault({}),
  RouteSettings: z.record(z.string(), routeSettings).default({}),
  Description: z.unknown().optional(),
  Tags: z.unknown().optional(),
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
  Description: z.unknown().optional(),
});

/** The HTTP API of the stack. */
export interface ApiDefinition {
  readonly id: string;
  readonly routes: readonly HttpRoute[];
  /** Throttling of all routes together that have no throttling of their own. Undefined if the stage sets none. */
  readonly throttling: Throttling | undefined;
}

/**
 * Reads the stack's HTTP API.
 *
 * @returns undefined for a stack without an HTTP API
 * @throws TemplateError for a second API or stage, a missing stage, a part of another API, and, with the logical ID,
 * for unsupported parts: stages with a name, authorizers, integrations other than a function's.
 */
export function stackApi(stack: Stack): ApiDefinition | undefined {
  const [api, second] = stack.ofType('AWS::ApiGatewayV2::Api');
  if (second) throw new TemplateError(`${second.logicalId}: the local run has one HTTP API only`);
  if (!api) return undefined;
  readProperties(api, apiProperties);
  const ofApi = <T extends { readonly ApiId: string }>(resource: StackResource, schema: z.ZodType<T>): T => {
    const properties = readProperties(resource, schema);
    if (properties.ApiId === api.ref) return properties;
    throw new TemplateError(`${resource.logicalId}: the stack has no HTTP API ${properties.ApiId}`);
  };
  const [stage, secondStage] = stack.ofType('AWS::ApiGatewayV2::Stage');
  if (!stage) throw new TemplateError(`${api.logicalId}: the HTTP API has no stage that serves it`);
  if (secondStage)
    throw new TemplateError(`${secondStage.logicalId}: the local run has one stage of the HTTP API only`);
  const integrations = new Map(
    stack.ofType('AWS::ApiGatewayV2::Integration').map((one) => [one.ref, ofApi(one, integrationProperties)]),
  );
  const routes = stack.ofType('AWS::ApiGatewayV2::Route').map((resource): HttpRoute => {
    const { RouteKey, Target, AuthorizationType } = ofApi(resource, routeProperties);
    const integration = integrations.get(Target.replace(/^integrations\//, ''));
    if (!integration)
      throw new TemplateError(`${resource.logicalId}: the stack has no integration ${Target}`);
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
  const { DefaultRouteSettings, RouteSettings } = ofApi(stage, stageProperties);
  for (const routeKey of Object.keys(RouteSettings)) {
    if (!routes.some((route) => route.routeKey === routeKey))
      throw new TemplateError(`${stage.logicalId}: Unable to find Route by key ${routeKey}`);
  }
  const throttled = routes.map((route): HttpRoute => {
    const throttling = throttlingOf(RouteSettings[route.routeKey] ?? {});
    return throttling ? { ...route, throttling } : route;
  });
  return { id: api.ref, routes: throttled, throttling: throttlingOf(DefaultRouteSettings) };
}

function throttlingOf(settings: z.output<typeof routeSettings>): Throttling | undefined {
  const { ThrottlingRateLimit, ThrottlingBurstLimit } = settings;
  if (ThrottlingRateLimit === undefined || ThrottlingBurstLimit === undefined) return undefined;
  return { requestsPerSecond: ThrottlingRateLimit, burst: ThrottlingBurstLimit };
}

/** The function's name, from its ARN or from the invocation path that contains the ARN. */
function functionName(uri: string): string {
  return /function:([\w-]+)/.exec(uri)?.[1] ?? uri;
}
