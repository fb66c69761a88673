import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Credentials, FunctionDefinition } from '../model.ts';

/**
 * The whole environment of a function's process: the template's variables, and those that Lambda adds. Nothing is inherited from the
 * local run, so that no function depends on the local run's variables.
 *
 * @param endpoint where the SDK's clients find the local AWS, by the standard `AWS_ENDPOINT_URL`
 */
export function functionEnvironment(
  definition: FunctionDefinition,
  session: { credentials: Credentials; endpoint: string; region: string; logStreamName: string },
): Record<string, string> {
  const { credentials, endpoint, region, logStreamName } = session;
  return {
    // A default of Lambda, which the template may override. The variables behind the template's are set only by Lambda.
    AWS_XRAY_CONTEXT_MISSING: 'LOG_ERROR',
    ...definition.environment,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...(credentials.sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: credentials.sessionToken }),
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${definition.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: logStreamName,
    _HANDLER: definition.handler,
    LAMBDA_TASK_ROOT: definition.assetDirectory,
    HOME: tmpdir(),
    // Node caches compiled code, which makes a cold start three times as fast.
    NODE_COMPILE_CACHE: join(tmpdir(), 'local-aws-compile-cache'),
    LANG: 'en_US.UTF-8',
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TZ: ':UTC',
  };
}
