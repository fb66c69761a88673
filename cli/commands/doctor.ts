import type { Command } from 'commander';
import { type Context, withContext } from '../context.ts';
import { type Finding, runChecks } from '../doctor/checks.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { table } from '../render/table.ts';
import { counted } from '../render/words.ts';
import type { Style } from '../terminal.ts';

const STYLES: Readonly<Record<Finding['state'], Style>> = { ok: 'green', warning: 'yellow', fault: 'red' };

/** Adds `doctor`. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'check that the stack can be reached: ports, clock, credentials, dead letters, quotas, partner secret, webhook',
    )
    .addHelpText('after', examples('doctor', 'doctor --stack MarketplaceConnector --region eu-west-1'))
    .action(withContext(examine));
}

async function examine({ show, terminal, ...context }: Context): Promise<void> {
  const findings = await runChecks(context);
  const rows = findings.map(({ check, state, message, hint }) => [
    terminal.style(STYLES[state], state),
    check,
    [message, hint].filter(Boolean).join('. '),
  ]);
  show(findings, () => table(terminal, ['', 'CHECK', 'FOUND'], rows));
  const faults = findings.filter(({ state }) => state === 'fault').length;
  if (faults > 0)
    throw new CliError(counted(faults, 'fault'), { code: 'FAULTS_FOUND', exitCode: EXIT.failed });
}
