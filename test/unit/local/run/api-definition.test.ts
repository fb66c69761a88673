import { expect, test } from 'vitest';
import { type ApiDefinition, stackApi } from '../../../../local/aws/run/api-definition.ts';
import { readStack } from '../../../../local/aws/template/read-stack.ts';

const endpoints = { aws: 'http://127.0.0.1:4566', api: 'http://127.0.0.1:4567' };
const ApiId = { Ref: 'Api' };

const resources = {
  Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'api', ProtocolType: 'HTTP' } },
  Stage: {
    Type: 'AWS::ApiGatewayV2::Stage',
    Properties: { ApiId, StageName: '$default', AutoDeploy: true },
  },
  Integration: {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: {
      ApiId,
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: 'arn:aws:lambda:us-east-1:000000000000:function:echo',
      PayloadFormatVersion: '2.0',
    },
  },
  Route: {
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: {
      ApiId,
      RouteKey: 'GET /stores',
      Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'Integration' }]] },
    },
  },
};

function apiOf(Resources: Record<string, { Type: string; Properties?: object }>): ApiDefinition | undefined {
  const template = { Resources } as Parameters<typeof readStack>[0];
  return stackApi(readStack(template, { stackName: 'Shop', parameters: {}, endpoints }));
}

/** A resource as it would be for another API. */
const ofAnother = <R extends { Properties: object }>(resource: R) => ({
  ...resource,
  Properties: { ...resource.Properties, ApiId: 'another' },
});

test('a stack with an HTTP API has its routes, and one without has none', () => {
  expect(apiOf(resources)?.routes).toMatchObject([
    { method: 'GET', path: '/stores', functionName: 'echo', authorization: 'NONE' },
  ]);
  expect(apiOf({})).toBeUndefined();
});

test('an HTTP API without a stage is refused', () => {
  const { Stage: _, ...others } = resources;
  expect(() => apiOf(others)).toThrow('Api: the HTTP API has no stage');
});

test.each(['Api', 'Stage'] as const)('a second %s is refused', (name) => {
  expect(() => apiOf({ ...resources, Second: resources[name] })).toThrow('Second: the local run has one');
});

test.each(['Stage', 'Integration', 'Route'] as const)('a %s of another HTTP API is refused', (name) => {
  expect(() => apiOf({ ...resources, [name]: ofAnother(resources[name]) })).toThrow(
    `${name}: the stack has no HTTP API another`,
  );
});

const throttle = { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 8, DetailedMetricsEnabled: true };
const stageWith = (RouteSettings: object) => ({
  ...resources,
  Stage: { ...resources.Stage, Properties: { ...resources.Stage.Properties, RouteSettings } },
});

test('a route has the throttle that the stage sets for it', () => {
  const api = apiOf(stageWith({ 'GET /stores': throttle }));
  expect(api?.throttling).toBeUndefined();
  expect(api?.routes).toMatchObject([{ throttling: { requestsPerSecond: 7, burst: 8 } }]);
});

test('a throttle of a route that is not there is refused', () => {
  expect(() => apiOf(stageWith({ 'GET /elsewhere': throttle }))).toThrow(
    'Stage: Unable to find Route by key GET /elsewhere',
  );
});
