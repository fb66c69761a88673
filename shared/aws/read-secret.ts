import { parseJson } from '../collections/parse-json.ts';
import type { SendAwsRequest } from './aws-request.ts';

/** The text of a secret in Secrets Manager; `undefined` for a secret that holds bytes. */
export type ReadSecret = (secretArn: string) => Promise<string | undefined>;

export function createSecretReader(send: SendAwsRequest): ReadSecret {
  return async (secretArn) => {
    const answer = await send({
      service: 'secretsmanager',
      method: 'POST',
      path: '/',
      headers: {
        'Content-Type': 'application/x-amz-json-1.1',
        'X-Amz-Target': 'secretsmanager.GetSecretValue',
      },
      body: Buffer.from(JSON.stringify({ SecretId: secretArn })),
    });
    const { SecretString } = (parseJson(answer.toString()) ?? {}) as { SecretString?: string };
    return SecretString;
  };
}
