import type { AccessControl } from '../../gateway/access-control.ts';
import { AwsError, type AwsService, jsonBody, jsonOperation, jsonResponse } from '../../gateway/messages.ts';
import { requireKey } from '../key-access.ts';
import { notFound, type Secret, type SecretStore } from './secret-store.ts';

/** Secrets Manager: reads and puts values of the secrets that the template has. */
export function createSecretsManagerService(options: {
  store: SecretStore;
  access: AccessControl;
}): AwsService {
  const { store, access } = options;
  return {
    protocol: 'json',
    async handle(request) {
      const operation = jsonOperation(request);
      const input = jsonBody(request);
      const { principal } = request;
      if (operation === 'ListSecrets') {
        access.require(principal, 'secretsmanager:ListSecrets', '*');
        return jsonResponse({ SecretList: store.all().map(describe) });
      }
      const secret = store.find(String(input.SecretId));
      access.require(principal, `secretsmanager:${operation}`, secret.arn);
      const key = { arn: secret.keyArn, service: 'secretsmanager' };
      switch (operation) {
        case 'GetSecretValue':
          requireKey(access, principal, 'Decrypt', key);
          return jsonResponse(versionAnswer(secret, input));
        case 'PutSecretValue':
        case 'UpdateSecret': {
          requireKey(access, principal, 'GenerateDataKey', key);
          const id = await store.put(secret.arn, secretText(input), optionalText(input.ClientRequestToken));
          return jsonResponse({
            ARN: secret.arn,
            Name: secret.name,
            VersionId: id,
            VersionStages: ['AWSCURRENT'],
          });
        }
        case 'DescribeSecret':
          return jsonResponse(describe(secret));
        default:
          throw new AwsError('InvalidRequestException', `The local Secrets Manager has no ${operation}`);
      }
    },
  };
}

function versionAnswer(secret: Secret, input: Readonly<Record<string, unknown>>): object {
  const stage = input.VersionId === undefined ? String(input.VersionStage ?? 'AWSCURRENT') : undefined;
  const version = secret.versions.find((one) =>
    stage === undefined ? one.id === input.VersionId : one.stages.includes(stage),
  );
  if (!version) throw notFound('secret value');
  return {
    ARN: secret.arn,
    Name: secret.name,
    VersionId: version.id,
    VersionStages: version.stages,
    SecretString: version.text,
    CreatedDate: version.createdAt / 1000,
  };
}

function describe(secret: Secret): object {
  return {
    ARN: secret.arn,
    Name: secret.name,
    Description: secret.description,
    KmsKeyId: secret.keyArn,
    VersionIdsToStages: Object.fromEntries(secret.versions.map(({ id, stages }) => [id, stages])),
  };
}

function secretText(input: Readonly<Record<string, unknown>>): string {
  if (typeof input.SecretString === 'string') return input.SecretString;
  throw new AwsError('InvalidParameterException', 'The local Secrets Manager takes a SecretString only');
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
