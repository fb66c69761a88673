import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationsRoutes } from '../../infra/routes.ts';
import { connectorTemplate } from './support/stacks.ts';
import { readable } from './support/template.ts';

const template = connectorTemplate();
const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(
  (route) => route.Properties,
);
const integrations = template.findResources('AWS::ApiGatewayV2::Integration');

/** Name of the function that answers a route. */
function functionBehind(route: Record<string, { 'Fn::Join'?: [string, { Ref: string }[]] }>): string {
  const integrationId = route.Target?.['Fn::Join']?.[1][1]?.Ref ?? '';
  return readable(integrations[integrationId]?.Properties.IntegrationUri);
}

describe('the HTTP API', () => {
  it('has only two public routes: the webhook and the callback', () => {
    const open = routes.filter((route) => route.AuthorizationType !== 'AWS_IAM');

    expect(open.map((route) => [route.RouteKey, functionBehind(route)])).toEqual([
      ['POST /webhooks/marketplace', 'WebhookReceiverFunction.Arn'],
      ['GET /onboarding/callback', 'OnboardingCallbackFunction.Arn'],
    ]);
  });

  it('has the name of the stack, as an account may have several stages', () => {
    const staging = connectorTemplate({ stackName: 'Staging' });

    staging.hasResourceProperties('AWS::ApiGatewayV2::Api', { Name: 'Staging' });
  });

  it('has a name of its own if settings give one, in its URLs, the callback and the output for its DNS record', () => {
    const named = connectorTemplate({
      domainName: 'connector.partner.example',
      certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1a2b',
    });
    const [domainId = ''] = Object.keys(named.findResources('AWS::ApiGatewayV2::DomainName'));
    const url = 'https://connector.partner.example';

    named.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'connector.partner.example',
      DomainNameConfigurations: [
        {
          CertificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1a2b',
          EndpointType: 'REGIONAL',
        },
      ],
    });
    // Without a key: the signature of a webhook is over its path.
    named.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', {
      DomainName: { Ref: domainId },
      Stage: '$default',
      ApiMappingKey: Match.absent(),
    });
    expect(named.findOutputs('*')).toMatchObject({
      ApiUrl: { Value: url },
      WebhookUrl: { Value: `${url}/webhooks/marketplace` },
      DomainTarget: { Value: { 'Fn::GetAtt': [domainId, 'RegionalDomainName'] } },
    });
    named.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ API_URL: url }) },
    });
    template.resourceCountIs('AWS::ApiGatewayV2::DomainName', 0);
  });

  it('serves every other route with the operations API', () => {
    const closed = routes.filter((route) => route.AuthorizationType === 'AWS_IAM');

    expect(closed.map((route) => route.RouteKey).sort()).toEqual([...operationsRoutes].sort());
    for (const route of closed) expect(functionBehind(route)).toBe('OperationsApiFunction.Arn');
  });

  it('is throttled and logs each request, on a stage without a path prefix', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: Match.objectLike({ ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 }),
      AccessLogSettings: { DestinationArn: Match.anyValue(), Format: Match.stringLikeRegexp('requestId') },
    });
    template.resourceCountIs('AWS::ApiGatewayV2::Stage', 1);
  });

  it.each([
    [{}, [100, 500], [10, 20], [100, 200]],
    [
      {
        webhookRateLimit: 7,
        webhookBurstLimit: 8,
        callbackRateLimit: 1,
        callbackBurstLimit: 2,
        apiRateLimit: 3,
      },
      [7, 8],
      [1, 2],
      [3, 200],
    ],
  ])('has a throttle for each function, by the settings %j', (settings, webhook, callback, operations) => {
    const stages = connectorTemplate(settings).findResources('AWS::ApiGatewayV2::Stage');
    const [{ Properties } = { Properties: {} }] = Object.values(stages);
    const throttle = ([ThrottlingRateLimit, ThrottlingBurstLimit]: number[]) => ({
      ThrottlingRateLimit,
      ThrottlingBurstLimit,
    });

    expect(Properties.RouteSettings).toEqual({
      'POST /webhooks/marketplace': { ...throttle(webhook), DetailedMetricsEnabled: true },
      'GET /onboarding/callback': throttle(callback),
    });
    expect(Properties.DefaultRouteSettings).toEqual(throttle(operations));
  });

  it('sets the throttle of a route only once the route is there', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const keys = Object.keys(stage?.Properties.RouteSettings ?? {});
    const ofPublic = Object.entries(template.findResources('AWS::ApiGatewayV2::Route'))
      .filter(([, route]) => keys.includes(route.Properties.RouteKey))
      .map(([id]) => id);

    expect(ofPublic).toHaveLength(2);
    expect(stage?.DependsOn).toEqual(expect.arrayContaining(ofPublic));
  });

  it('logs to a group with the prefix for which API Gateway needs no permission of its own', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const destination = stage?.Properties.AccessLogSettings.DestinationArn['Fn::GetAtt'][0];
    const group = template.findResources('AWS::Logs::LogGroup')[destination];

    expect(group?.Properties.LogGroupName).toMatch(/^\/aws\/vendedlogs\/MarketplaceConnector[\w-]+$/);
  });

  it('passes requests on in payload format 2.0', () => {
    for (const integration of Object.values(integrations)) {
      expect(integration.Properties).toMatchObject({
        IntegrationType: 'AWS_PROXY',
        PayloadFormatVersion: '2.0',
      });
    }
  });

  it.each(['WebhookReceiver', 'OnboardingCallback', 'OperationsApi'])(
    'may call %s, which no other API may call',
    (name) => {
      template.hasResourceProperties('AWS::Lambda::Permission', {
        Action: 'lambda:InvokeFunction',
        FunctionName: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${name}Function`), 'Arn'] },
        Principal: 'apigateway.amazonaws.com',
        SourceArn: Match.objectLike({
          'Fn::Join': ['', Match.arrayWith([{ Ref: Match.stringLikeRegexp('^HttpApi') }])],
        }),
      });
    },
  );
});
