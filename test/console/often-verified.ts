import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CloudFormationTemplate } from '../local/template/cloudformation.ts';

const templatePath = join(import.meta.dirname, '..', '..', 'cdk.out', 'MarketplaceConnector.template.json');

/** Seconds after the last answer from which on a value is compared. */
export const GRACE_SECONDS = 1;

/** Enough that the listing-verifier, which comes after all other requests, does not wait. */
const ALLOWED = { REQUESTS_PER_SECOND: '50', REQUESTS_IN_FLIGHT: '20' };

/** So that an order of unknown outcome can soon be sent again. */
const SHORT_ATTEMPTS = { REQUEST_TIMEOUT_SECONDS: '8', ATTEMPT_LIFETIME_SECONDS: '10' };

/** About one cycle of three small stores: a run begins further cycles while it may call. */
const CALLS_PER_RUN = '9';

/** The synthesized template with shorter times, and a listing-verifier that begins a cycle whenever it runs. */
export async function oftenVerified(): Promise<CloudFormationTemplate> {
  const template: CloudFormationTemplate = JSON.parse(await readFile(templatePath, 'utf8'));
  for (const { Properties } of Object.values(template.Resources)) {
    const { Variables = {} } = (Properties?.Environment ?? {}) as { Variables?: Record<string, unknown> };
    if ('REQUESTS_PER_SECOND' in Variables) Object.assign(Variables, ALLOWED);
    if ('ATTEMPT_LIFETIME_SECONDS' in Variables) Object.assign(Variables, SHORT_ATTEMPTS);
    if ('VERIFIER_CYCLE_HOURS' in Variables)
      Object.assign(Variables, {
        VERIFIER_GRACE_SECONDS: String(GRACE_SECONDS),
        VERIFIER_CYCLE_HOURS: '0.0001',
        VERIFIER_CALLS_PER_RUN: CALLS_PER_RUN,
      });
  }
  return template;
}
