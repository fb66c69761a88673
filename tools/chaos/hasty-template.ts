import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CloudFormationTemplate } from '../../local/aws/template/cloudformation.ts';
import type { Allowed } from './rate.ts';

const templatePath = join(import.meta.dirname, '..', '..', 'cdk.out', 'MarketplaceConnector.template.json');

/**
 * Seconds in place of minutes, so that messages of a killed function are redelivered soon enough for a test. The order
 * of the times is as in the stack: request timeout < attempt lifetime < function timeout < visibility timeout.
 */
const REQUEST_TIMEOUT_SECONDS = 3;
const ATTEMPT_LIFETIME_SECONDS = 5;
export const CREDENTIALS_RETRY_SECONDS = 2;
const FUNCTION_TIMEOUT_SECONDS = 20;
const VISIBILITY_SECONDS = 21;
/** Functions that answer HTTP calls. Their own time limits lie below their timeout. */
const ANSWERS_CALLS = /^(OperationsApi|OnboardingCallback|WebhookReceiver)/;
/** Deliveries before a message goes to the dead-letter queue: functions are killed more often here than anywhere. */
const MAX_RECEIVES = 20;

/** The synthesized template with another limit. */
export async function templateWithLimit(allowed: Allowed): Promise<CloudFormationTemplate> {
  const template = JSON.parse(await readFile(templatePath, 'utf8'));
  for (const [, { Properties: { Environment } = {} }] of resourcesOf(template)) {
    const variables = Environment?.Variables ?? {};
    if ('REQUESTS_PER_SECOND' in variables) variables.REQUESTS_PER_SECOND = String(allowed.requestsPerSecond);
    if ('REQUESTS_IN_FLIGHT' in variables) variables.REQUESTS_IN_FLIGHT = String(allowed.requestsInFlight);
  }
  return template;
}

/** The synthesized template with shorter times, and another limit if one is given. */
export async function hastyTemplate(allowed?: Allowed): Promise<CloudFormationTemplate> {
  const template = await (allowed === undefined
    ? readFile(templatePath, 'utf8').then(JSON.parse)
    : templateWithLimit(allowed));
  for (const [id, { Type, Properties = {} }] of resourcesOf(template)) {
    if (Type === 'AWS::Lambda::Function') hurryFunction(id, Properties);
    if (Type === 'AWS::SQS::Queue' && Properties.RedrivePolicy !== undefined) {
      Properties.VisibilityTimeout = VISIBILITY_SECONDS;
      Properties.RedrivePolicy.maxReceiveCount = MAX_RECEIVES;
    }
  }
  return template;
}

function resourcesOf(template: CloudFormationTemplate) {
  return Object.entries<{ Type: string; Properties?: Properties }>(template.Resources as never);
}

interface Properties {
  Timeout?: number;
  VisibilityTimeout?: number;
  RedrivePolicy?: { maxReceiveCount: number };
  Environment?: { Variables: Record<string, unknown> };
}

function hurryFunction(id: string, properties: Properties): void {
  if (!ANSWERS_CALLS.test(id)) properties.Timeout = FUNCTION_TIMEOUT_SECONDS;
  const variables = properties.Environment?.Variables ?? {};
  if ('REQUEST_TIMEOUT_SECONDS' in variables) {
    variables.REQUEST_TIMEOUT_SECONDS = String(REQUEST_TIMEOUT_SECONDS);
    variables.ATTEMPT_LIFETIME_SECONDS = String(ATTEMPT_LIFETIME_SECONDS);
    variables.CREDENTIALS_RETRY_SECONDS = String(CREDENTIALS_RETRY_SECONDS);
  }
}
