import { expect, test } from 'vitest';
import { functionEnvironment } from '../../../../local/aws/lambda/environment.ts';

function environment(variables: Record<string, string>): Record<string, string> {
  const definition = {
    name: 'producer',
    arn: 'arn:aws:lambda:us-east-1:000000000000:function:producer',
    handler: 'index.handler',
    assetDirectory: '/assets',
    environment: variables,
    timeoutSeconds: 10,
    memoryMb: 256,
  };
  const credentials = { accessKeyId: 'ASIA1', secretAccessKey: 'secret' };
  const session = { credentials, endpoint: 'http://127.0.0.1:1', region: 'us-east-1', logStreamName: 's' };
  return functionEnvironment(definition, session);
}

test('a variable of the template replaces a default of Lambda', () => {
  expect(environment({}).AWS_XRAY_CONTEXT_MISSING).toBe('LOG_ERROR');
  expect(environment({ AWS_XRAY_CONTEXT_MISSING: 'IGNORE_ERROR' }).AWS_XRAY_CONTEXT_MISSING).toBe(
    'IGNORE_ERROR',
  );
});

test('the template can not set the identity of the function', () => {
  expect(environment({ AWS_ACCESS_KEY_ID: 'mine', AWS_LAMBDA_FUNCTION_NAME: 'other' })).toMatchObject({
    AWS_ACCESS_KEY_ID: 'ASIA1',
    AWS_LAMBDA_FUNCTION_NAME: 'producer',
  });
});
