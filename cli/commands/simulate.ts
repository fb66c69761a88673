import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { addCommand } from '../help.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'test', 'simulation', 'main.ts');

export function addSimulate(program: Command): void {
  addCommand(
    program,
    'simulate',
    'run the production use cases under seeded faults, in a clone of the repository',
    ['simulate --seeds 100', 'simulate --seed 7 --scenario drift'],
  )
    .option('--seeds <number>', 'run so many seeds on all cores (default: 500)')
    .option('--from <number>', 'begin with this seed (default: 1)')
    .option('--seed <number>', 'run one seed, and show what happened in each scenario')
    .option('--scenario <name>', 'only scenarios whose name contains this')
    .option('--mutants', 'switch in seeded mistakes one at a time; each must be caught')
    .option('--mutant <name>', 'only mistakes whose name contains this')
    .action((options: Readonly<Record<string, string | true>>) => simulate(options));
}

async function simulate(options: Readonly<Record<string, string | true>>): Promise<void> {
  if (!existsSync(SCRIPT))
    throw usageError('the simulation is in the repository, and not in the package', 'Run it in a clone.');
  const given = Object.entries(options).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`,
  );
  const child = spawn(process.execPath, [SCRIPT, ...given], { stdio: 'inherit' });
  const [exitCode] = await once(child, 'close');
  if (exitCode === EXIT.usage)
    throw usageError('the simulation refuses these options', 'The line above says why.');
  if (exitCode !== 0)
    throw new CliError('the simulation found a fault', { code: 'SIMULATION_FAILED', exitCode: EXIT.failed });
}
