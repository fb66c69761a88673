import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where each program is beside the command line: bundled in the package, otherwise as source. */
const FILES = {
  sandbox: { bundle: '../sandbox/main.mjs', source: '../../sandbox/main.ts' },
  local: { bundle: '../local/main.mjs', source: '../../local/run/main.ts' },
} as const;

export type Program = keyof typeof FILES;

/** The file of a program of this package. */
export function programFile(program: Program): string {
  const { bundle, source } = FILES[program];
  return join(import.meta.dirname, extname(import.meta.filename) === '.mjs' ? bundle : source);
}

/** Runs a program of this package in this process, until it ends or its servers keep the process running. */
export async function runProgram(program: Program, args: readonly string[]): Promise<void> {
  const file = programFile(program);
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}
