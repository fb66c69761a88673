import type { Context } from '../context.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { table } from '../render/table.ts';
import { counted } from '../render/words.ts';
import type { Style } from '../terminal.ts';
import type { Finding } from './finding.ts';

const STYLES: Readonly<Record<Finding['state'], Style>> = { ok: 'green', warning: 'yellow', fault: 'red' };

/** Shows what checks found. @throws CliError if there is a fault */
export function showFindings(
  { show, terminal }: Pick<Context, 'show' | 'terminal'>,
  findings: readonly Finding[],
): void {
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
