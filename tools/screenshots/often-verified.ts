import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CloudFormationTemplate } from '../../local/aws/template/cloudformation.ts';

const templatePath = join(import.meta.dirname, '..', '..', 'cdk.out', 'MarketplaceConnector.template.json');

/** Seconds after the last answer from which on a value is compared. */
export const GRACE_SECONDS = 1;

/** Enough that the listing-verifier, which comes after all other requests, does not wait. */
const ALLOWED = { REQUESTS_PER_SECOND: '50', REQUESTS_IN_FLIGHT: '20' };

/** So that an order of unknown outcome can soon be sent again. */
const SHORT_ATTEMPTS = { REQUEST_TIMEOUT_SECONDS: '8', ATTEMPT_LIFETIME_SECONDS: '10' };

/** The calls of a run are about one cycle of three small stores: a run begins further cycles while it may call. */
const CYCLES_WITHOUT_PAUSE = {
  VERIFIER_GRACE_SECONDS: String(GRACE_SECONDS),
  VERIFIER_CYCLE_HOURS: '0.0001',
  VERIFIER_CALLS_PER_RUN: '9',
};

/** The synthesized template with shorter times, and a listing-verifier that begins a cycle whenever it runs. */
export async function oftenVerified(): Promise<CloudFormationTemplate> {
  const template: CloudFormationTemplate = JSON.parse(await readFile(templatePath, 'utf8'));
  for (const variables of variablesOf(template)) {
    if ('REQUESTS_PER_SECOND' in variables) Object.assign(variables, ALLOWED);
    if ('ATTEMPT_LIFETIME_SECONDS' in variables) Object.assign(variables, SHORT_ATTEMPTS);
  }
  verifyOften(template);
  return template;
}

/** Has the listing-verifier of a template begin a cycle whenever it runs. */
export function verifyOften(template: CloudFormationTemplate): void {
  for (const variables of variablesOf(template))
    if ('VERIFIER_CYCLE_HOURS' in variables) Object.assign(variables, CYCLES_WITHOUT_PAUSE);
}

/** The environment variables of each function. */
function variablesOf({ Resources }: CloudFormationTemplate): Record<string, unknown>[] {
  return Object.values(Resources).map(({ Properties }) => {
    const { Variables = {} } = (Properties?.Environment ?? {}) as { Variables?: Record<string, unknown> };
    return Variables;
  });
}
