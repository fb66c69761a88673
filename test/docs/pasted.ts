import { join } from 'node:path';
import { expect } from 'vitest';
import type { Example } from './examples.ts';
import type { ShellSession } from './shell-session.ts';
import { expectShown } from './shown-output.ts';

/** The repository's root: the folder in which a reader pastes commands. */
export const repository = join(import.meta.dirname, '..', '..');

/**
 * Pastes a command into a shell and checks that it succeeds, with the status and the output that its page shows. Files
 * that the page puts into /tmp go into the shell's own folder.
 */
export async function paste(shell: ShellSession, { code, status, output }: Example): Promise<void> {
  const result = await shell.run(code.replaceAll('/tmp/', `${shell.scratch}/`));
  expect(result).toMatchObject({ exitCode: 0, errors: '' });
  if (status !== undefined) expect(result.status).toBe(status);
  else if (result.status !== undefined) expect(Math.floor(result.status / 100)).toBe(2);
  if (output !== undefined) expectShown(result.printed, output);
}
