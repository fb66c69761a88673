import type { Command } from 'commander';
import { runChecks } from '../checks/finding.ts';
import { showFindings } from '../checks/show-findings.ts';
import { VERIFY_CHECKS } from '../checks/verify-checks.ts';
import { type Context, withContext } from '../context.ts';
import { examples } from '../help.ts';

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description(
      'check after a deployment that the stack works: what doctor checks, a signed webhook and an event that end in nothing, the subscribers of alarms',
    )
    .addHelpText('after', examples('verify --stack MarketplaceConnector --region eu-west-1'))
    .action(withContext(verify));
}

async function verify(context: Context): Promise<void> {
  const { target, confirm } = context;
  if (!target.isLocal)
    await confirm(`Put a test event, which ends as a rejection, on the bus of ${target.name}?`);
  showFindings(context, await runChecks(VERIFY_CHECKS, context));
}
