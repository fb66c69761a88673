import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import type { Context } from '../context.ts';
import { explain } from '../errors.ts';
import { type Found, ok, warning } from './finding.ts';

/** As docs/deploy.md asks for. New accounts may have 10. */
const ENOUGH_CONCURRENCY = 50;
/** The quota that AWS gives most accounts; it asks for a reason of more. */
const USUAL_CONCURRENCY = 1000;

/** How many functions the account may run at a time. */
export async function readConcurrency({ aws }: Pick<Context, 'aws'>): Promise<Found> {
  try {
    const { AccountLimit } = await aws.functions.send(new GetAccountSettingsCommand({}));
    return concurrencyFinding(AccountLimit?.UnreservedConcurrentExecutions);
  } catch (error) {
    const { code, message, hint } = explain(error);
    return warning(
      `the quotas of Lambda cannot be read: ${code}: ${message}`,
      hint ?? 'The caller needs lambda:GetAccountSettings.',
    );
  }
}

/** @param unreserved functions that may run at a time in the account, without those reserved for some */
export function concurrencyFinding(unreserved: number | undefined): Found {
  if (unreserved === undefined) return { state: 'warning', message: 'Lambda does not say its quotas' };
  const message = `Lambda runs ${unreserved} functions of this account at a time`;
  if (unreserved >= ENOUGH_CONCURRENCY) return ok(message);
  return warning(
    `${message}: ${ENOUGH_CONCURRENCY} are enough for the stack`,
    `Until it is raised, functions are throttled under load: aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${USUAL_CONCURRENCY}`,
  );
}
