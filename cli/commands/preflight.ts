import type { Command } from 'commander';
import { definedOf } from '../../shared/collections/defined-of.ts';
import { runChecks } from '../checks/finding.ts';
import { PREFLIGHT_CHECKS } from '../checks/preflight-checks.ts';
import { showFindings } from '../checks/show-findings.ts';
import { createAwsClients } from '../clients/aws-clients.ts';
import { type GlobalOptions, outputWith } from '../context.ts';
import { usageError } from '../errors.ts';
import { examples } from '../help.ts';

interface Options extends GlobalOptions {
  readonly marketplaceBaseUrl?: string;
}

export function addPreflight(program: Command): void {
  program
    .command('preflight')
    .description(
      'check before the first deployment: credentials, region, bootstrap, quota, the name of --stack, the marketplace and its clock; needs no stack',
    )
    .option('--marketplace-base-url <url>', 'the base URL of the marketplace, without /api/v1')
    .addHelpText(
      'after',
      examples('preflight --region eu-west-1 --marketplace-base-url https://marketplace.example'),
    )
    .action((_: object, command: Command) => preflight(command.optsWithGlobals()));
}

async function preflight(options: Options): Promise<void> {
  const { stack = 'MarketplaceConnector', region, profile, local, outputs, marketplaceBaseUrl } = options;
  if (local || outputs !== undefined)
    throw usageError('preflight is about a deployment: it needs no local run');
  using aws = createAwsClients(definedOf({ region, profile }));
  showFindings(
    outputWith(options),
    await runChecks(PREFLIGHT_CHECKS, { aws, stackName: stack, marketplaceBaseUrl }),
  );
}
