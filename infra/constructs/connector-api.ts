import { Names, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnStage,
  DomainName,
  HttpApi,
  HttpMethod,
  type HttpRoute,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { callbackPath, webhookPath } from '../../shared/settings/stack-rules.ts';
import { operationsRoutes } from '../routes.ts';
import type { ConnectorSettings } from '../settings.ts';
import type { ConnectorFunction } from './connector-function.ts';
import { metricOf } from './metrics.ts';
import { WebhookDistribution } from './webhook-distribution.ts';

const stageName = '$default';

export interface ConnectorApiProps extends ConnectorSettings {
  /** Function behind the webhook's route. It authenticates callers by their signature. */
  readonly webhookReceiver: ConnectorFunction;
  /** Function behind the onboarding callback. It authenticates callers by the session's nonce. */
  readonly onboardingCallback: ConnectorFunction;
  /** Function behind every other route. */
  readonly operations: ConnectorFunction;
}

/**
 * The HTTP API with access logs: public routes for the webhook and the onboarding callback, IAM authorization on all other routes.
 * Each public route has its own throttle, so that a flood on it does not block other routes.
 */
export class ConnectorApi extends Construct {
  /** Base URL without a slash at its end. */
  readonly url: string;
  readonly webhookUrl: string;
  /** API Gateway's host name: the target of the DNS record for the setting `domainName`. */
  readonly domainTarget: string | undefined;
  private readonly api: HttpApi;

  constructor(scope: Construct, id: string, props: ConnectorApiProps) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      apiName: Stack.of(this).stackName,
      description: 'Webhook and operations of the Marketplace Connector',
      createDefaultStage: false,
    });
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      // One statement lets API Gateway write to all groups under this prefix. Any other group costs a statement in a resource
      // policy that holds at most 5,120 characters per account.
      logGroupName: `/aws/vendedlogs/${Names.uniqueResourceName(this, { separator: '-' })}`,
      retention: props.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const domain = this.createDomain(props);
    this.domainTarget = domain?.regionalDomainName;
    const stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName,
      autoDeploy: true,
      ...(domain && { domainMapping: { domainName: domain } }),
      throttle: { rateLimit: props.apiRateLimit, burstLimit: props.apiBurstLimit },
      accessLogSettings: { destination: new LogGroupLogDestination(accessLogs), format: accessLogFormat() },
    });

    const webhook = this.addPublic(
      { id: 'Webhook', method: HttpMethod.POST, path: webhookPath, fn: props.webhookReceiver },
      'The marketplace has no AWS credentials: the receiver checks its HMAC signature before all else.',
    );
    const callback = this.addPublic(
      { id: 'Callback', method: HttpMethod.GET, path: callbackPath, fn: props.onboardingCallback },
      "The seller's browser has no AWS credentials: the callback is bound to its session by a nonce, once.",
    );
    // A route's settings replace the stage's. Detailed metrics cost per route; only the webhook's are on, for an alarm.
    (stage.node.defaultChild as CfnStage).routeSettings = {
      [`POST ${webhookPath}`]: {
        ...routeThrottle(props.webhookRateLimit, props.webhookBurstLimit),
        DetailedMetricsEnabled: true,
      },
      [`GET ${callbackPath}`]: routeThrottle(props.callbackRateLimit, props.callbackBurstLimit),
    };
    // API Gateway refuses settings of a route that does not exist yet.
    stage.node.addDependency(webhook, callback);
    this.addOperations(props.operations);
    this.url = props.domainName ? `https://${props.domainName}` : this.api.apiEndpoint;
    const front = props.webhookWebAclArn
      ? new WebhookDistribution(this, 'WebhookFront', this.api.apiId, props.webhookWebAclArn).url
      : this.url;
    this.webhookUrl = `${front}${webhookPath}`;
  }

  /** Lets `grantee` call every route that needs AWS IAM authorization. */
  grantInvoke(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['execute-api:Invoke'],
      resourceArns: [this.api.arnForExecuteApi()],
    });
  }

  /** Requests that were answered with 5xx, in periods of 5 minutes. */
  metricServerErrors(ofRoute: Record<string, string> = {}): Metric {
    return metricOf('AWS/ApiGateway', '5xx', { ApiId: this.api.apiId, ...ofRoute });
  }

  /** Webhooks that were answered with 5xx, in periods of 5 minutes. */
  metricWebhookFailures(): Metric {
    return this.metricServerErrors({ Stage: stageName, Method: 'POST', Resource: webhookPath });
  }

  private createDomain({ domainName, certificateArn }: ConnectorSettings): DomainName | undefined {
    if (!domainName || !certificateArn) return undefined;
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
    return new DomainName(this, 'Domain', { domainName, certificate });
  }

  /** @param reason why the route needs no authorization */
  private addPublic(
    route: { id: string; method: HttpMethod; path: string; fn: ConnectorFunction },
    reason: string,
  ): HttpRoute {
    const [added] = this.api.addRoutes({
      path: route.path,
      methods: [route.method],
      integration: new HttpLambdaIntegration(route.id, route.fn.lambda),
    });
    if (!added) throw new Error(`${route.path} has no route`);
    Validations.of(added).acknowledge({ id: 'AwsSolutions-APIG4', reason });
    return added;
  }

  private addOperations(operations: ConnectorFunction): void {
    const authorizer: IHttpRouteAuthorizer = new HttpIamAuthorizer();
    const integration = new HttpLambdaIntegration('Operations', operations.lambda, {
      // A permission per route would outgrow the function's policy (20 KB).
      scopePermissionToRoute: false,
    });
    for (const route of operationsRoutes) {
      const [method, path] = route.split(' ') as [HttpMethod, string];
      this.api.addRoutes({ path, methods: [method], integration, authorizer });
    }
  }
}

/** The parameters have CloudFormation's names, as CDK passes `routeSettings` on unchanged. */
function routeThrottle(ThrottlingRateLimit: number, ThrottlingBurstLimit: number): Record<string, number> {
  return { ThrottlingRateLimit, ThrottlingBurstLimit };
}

/** The caller, the route, the outcome, and why an integration or authorization failed. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      requestId: '$context.requestId',
      time: '$context.requestTime',
      sourceIp: '$context.identity.sourceIp',
      caller: '$context.identity.caller',
      route: '$context.routeKey',
      path: '$context.path',
      status: '$context.status',
      responseLength: '$context.responseLength',
      latencyMs: '$context.responseLatency',
      error: '$context.error.message',
      integrationError: '$context.integrationErrorMessage',
    }),
  );
}
