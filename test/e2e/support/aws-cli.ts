import * as secretsManager from '@aws-sdk/client-secrets-manager';
import * as sqs from '@aws-sdk/client-sqs';

/**
 * The AWS CLI as far as the runbook uses it, by the SDK, so that its tests need no CLI: `SERVICE OPERATION --option value …`.
 * Endpoint, region and credentials come from the environment.
 */
type Command = new (input: object) => never;
const services: Readonly<Record<string, { client: new (config: object) => Client; commands: object }>> = {
  sqs: { client: sqs.SQSClient, commands: sqs },
  secretsmanager: { client: secretsManager.SecretsManagerClient, commands: secretsManager },
};
interface Client {
  send(command: never): Promise<{ $metadata: unknown }>;
}

const [service = '', operation = '', ...options] = process.argv.slice(2);
const found = services[service];
const command = (found?.commands as Record<string, Command> | undefined)?.[`${pascal(operation)}Command`];
if (found === undefined || command === undefined) throw new Error(`unknown: ${service} ${operation}`);

const input: Record<string, string> = {};
for (let at = 0; at < options.length; at += 2) {
  const [name = '', value = ''] = options.slice(at);
  if (!name.startsWith('--')) throw new Error(`not an option: ${name}`);
  input[pascal(name.slice(2))] = value;
}
const client = new found.client({ endpoint: process.env.AWS_ENDPOINT_URL });
const { $metadata: _, ...answer } = await client.send(new command(input));
console.log(JSON.stringify(answer));

function pascal(words: string): string {
  return words.replace(/(^|-)(.)/g, (_match, _dash, letter: string) => letter.toUpperCase());
}
