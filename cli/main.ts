#!/usr/bin/env node
import { CommanderError } from 'commander';
import { explain } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { createProgram } from './program.ts';

// A reader that goes away, such as `head`, ends the output.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

try {
  await createProgram().parseAsync();
} catch (error) {
  // Commander has printed its own errors.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else fail(error);
}

function fail(error: unknown): void {
  const { message, code, hint, exitCode } = explain(error);
  const text = process.argv.includes('--json')
    ? JSON.stringify({ error: { code, message, ...(hint !== undefined && { hint }) } })
    : [`${code}: ${message}`, ...(hint === undefined ? [] : [hint])].join('\n');
  process.stderr.write(`${text}\n`);
  process.exitCode = exitCode;
}
