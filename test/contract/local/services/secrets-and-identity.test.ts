import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  allow,
  arnOf,
  callAs,
  callerCode,
  clientSettings,
  functionRole,
  key,
  lambdaFunction,
  ref,
  type StartedStack,
  startStack,
} from '../fixture.ts';

let stack: StartedStack;

/** Calls STS without its client, which nothing else in the project needs. */
const whoAmI = `
import { createRequire } from 'node:module';
const require = createRequire('${import.meta.filename}');
const { SignatureV4 } = require('@smithy/signature-v4');
const { Sha256 } = require('@aws-crypto/sha256-js');
const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL } = process.env;
export async function handler() {
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
  const signer = new SignatureV4({ service: 'sts', region: AWS_REGION, credentials, sha256: Sha256 });
  const { host } = new URL(AWS_ENDPOINT_URL);
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  const signed = await signer.sign({ method: 'POST', protocol: 'http:', hostname: host, path: '/', query: {}, headers, body });
  return (await fetch(AWS_ENDPOINT_URL, { method: 'POST', headers: signed.headers, body })).text();
}`;

const secret = (properties: object): object => ({
  Type: 'AWS::SecretsManager::Secret',
  Properties: properties,
});

beforeAll(async () => {
  stack = await startStack({
    resources: {
      Key: key(),
      Plain: secret({ SecretString: '{"partnerSecretKey":"REPLACE_ME"}' }),
      Keyed: secret({ SecretString: 'keyed', KmsKeyId: arnOf('Key') }),
      Role: functionRole(allow('secretsmanager:GetSecretValue', [ref('Plain'), ref('Keyed')])),
      Caller: lambdaFunction('caller', 'Role'),
      WhoAmI: lambdaFunction('whoami', 'Role'),
    },
    outputs: { Plain: ref('Plain'), Keyed: ref('Keyed') },
    functions: { caller: callerCode, whoami: whoAmI },
  });
});

afterAll(() => stack?.stop());

async function value(SecretId: string | undefined, VersionStage?: string): Promise<string | undefined> {
  const command = new GetSecretValueCommand({ SecretId, ...(VersionStage ? { VersionStage } : {}) });
  return (await stack.secrets.send(command)).SecretString;
}

describe('a secret', () => {
  test('has the value of the template until another is put, and keeps the previous one', async () => {
    const SecretId = stack.run.outputs.Plain;
    expect(await value(SecretId)).toBe('{"partnerSecretKey":"REPLACE_ME"}');
    await stack.secrets.send(new PutSecretValueCommand({ SecretId, SecretString: 'second' }));
    await stack.secrets.send(new PutSecretValueCommand({ SecretId, SecretString: 'third' }));
    expect(await value(SecretId)).toBe('third');
    expect(await value(SecretId, 'AWSPREVIOUS')).toBe('second');
  });

  test('encrypted with a key can be read only by a caller that may use the key', async () => {
    const read = (SecretId: string | undefined) =>
      callAs(stack.run, 'SecretsManager', 'GetSecretValue', { SecretId });
    expect(await read(stack.run.outputs.Plain)).toHaveProperty('SecretString');
    expect(await read(stack.run.outputs.Keyed)).toEqual({ error: 'AccessDeniedException' });
    expect(stack.run.accessDenied.at(-1)?.action).toBe('kms:Decrypt');
  });
});

describe('a caller', () => {
  test('is identified by its credentials', async () => {
    const result = await stack.run.functions.invoke('WhoAmI', {});
    expect(result).toMatchObject({
      ok: true,
      payload: expect.stringContaining('<Account>000000000000</Account>'),
    });
    const session =
      'arn:aws:sts::000000000000:assumed-role/MarketplaceConnector-Role/MarketplaceConnector-WhoAmI';
    expect(result).toMatchObject({ payload: expect.stringContaining(`<Arn>${session}</Arn>`) });
  });

  test.each([
    ['a wrong secret', { accessKeyId: 'local', secretAccessKey: 'wrong' }, 'InvalidSignatureException'],
    ['an unknown key', { accessKeyId: 'unknown', secretAccessKey: 'local' }, 'UnrecognizedClientException'],
  ])('with %s is refused', async (_name, credentials, name) => {
    const client = new SecretsManagerClient(clientSettings(stack.run, credentials));
    const command = new GetSecretValueCommand({ SecretId: stack.run.outputs.Plain });
    await expect(client.send(command)).rejects.toMatchObject({ name });
    client.destroy();
  });
});
