import type { Command } from 'commander';
import { runChecks } from '../checks/finding.ts';
import { showFindings } from '../checks/show-findings.ts';
import { STACK_CHECKS } from '../checks/stack-checks.ts';
import { withContext } from '../context.ts';
import { examples } from '../help.ts';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'check that the stack can be reached: ports, clock, credentials, dead letters, quotas, partner secret, webhook',
    )
    .addHelpText('after', examples('doctor', 'doctor --stack MarketplaceConnector --region eu-west-1'))
    .action(withContext(async (context) => showFindings(context, await runChecks(STACK_CHECKS, context))));
}
