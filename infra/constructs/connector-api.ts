import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpMethod,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ConnectorFunction } from './connector-function.ts';

/** Path at which the marketplace delivers final summaries. */
const webhookPath = '/webhooks/marketplace';

/** A route as `METHOD /path/{parameter}`. */
export type RouteKey = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

export interface ConnectorApiProps {
  /** Function behind the one public route, which authenticates by the webhook's signature. */
  readonly webhookReceiver: ConnectorFunction;
  /** Function behind every other route. */
  readonly operations: ConnectorFunction;
  /** Routes that need AWS IAM authorization (SigV4). */
  readonly operationsRoutes: readonly RouteKey[];
  /** Requests per second on average. */
  readonly rateLimit: number;
  /** Requests in a burst. */
  readonly burstLimit: number;
  /** Days that access logs are kept. Default: 30. */
  readonly logRetentionDays?: RetentionDays;
}

/** The HTTP API: one public route for the webhook, IAM on everything else, throttled, with access logs. */
export class ConnectorApi extends Construct {
  /** Base URL without a slash at its end. */
  readonly url: string;
  readonly webhookUrl: string;
  private readonly api: HttpApi;

  constructor(scope: Construct, id: string, props: ConnectorApiProps) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      description: 'Webhook and operations of the Marketplace Connector',
      createDefaultStage: false,
    });
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: props.logRetentionDays ?? 30,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      detailedMetricsEnabled: true,
      throttle: { rateLimit: props.rateLimit, burstLimit: props.burstLimit },
      accessLogSettings: { destination: new LogGroupLogDestination(accessLogs), format: accessLogFormat() },
    });

    this.addWebhook(props.webhookReceiver);
    this.addOperations(props.operations, props.operationsRoutes);
    this.url = this.api.apiEndpoint;
    this.webhookUrl = `${this.url}${webhookPath}`;
  }

  private addWebhook(receiver: ConnectorFunction): void {
    const [route] = this.api.addRoutes({
      path: webhookPath,
      methods: [HttpMethod.POST],
      integration: new HttpLambdaIntegration('Webhook', receiver.lambda),
    });
    if (!route) throw new Error('The webhook has no route');
    Validations.of(route).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The marketplace has no AWS credentials: the receiver checks its HMAC signature before all else.',
    });
  }

  private addOperations(operations: ConnectorFunction, routes: readonly RouteKey[]): void {
    const authorizer: IHttpRouteAuthorizer = new HttpIamAuthorizer();
    const integration = new HttpLambdaIntegration('Operations', operations.lambda, {
      // A permission per route would outgrow the function's policy (20 KB).
      scopePermissionToRoute: false,
    });
    for (const route of routes) {
      const [method, path] = route.split(' ') as [HttpMethod, string];
      this.api.addRoutes({ path, methods: [method], integration, authorizer });
    }
  }
}

/** What an access log tells: who called what, how it ended, and why an integration or authorization failed. */
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
