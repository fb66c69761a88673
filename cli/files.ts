import { access, constants, readFile, stat, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { usageError } from './errors.ts';

/** The size in bytes of a file that is read as a stream afterwards. @throws CliError if it cannot be read, or is a folder */
export async function sizeOfFile(file: string): Promise<number> {
  const stats = await access(file, constants.R_OK)
    .then(() => stat(file))
    .catch(refuse(`cannot read ${file}`));
  if (stats.isDirectory()) throw usageError(`cannot read ${file}: it is a folder`);
  return stats.size;
}

/** The content of a file, or of standard input for `-`. @throws CliError if it cannot be read */
export async function readGivenFile(file: string): Promise<Buffer> {
  return file === '-' ? buffer(process.stdin) : readFile(file).catch(refuse(`cannot read ${file}`));
}

/** The text of a file that has a secret and nothing else. @throws CliError if it cannot be read, or is empty */
export async function readSecretFile(file: string): Promise<string> {
  const secret = (await readGivenFile(file)).toString('utf8').trim();
  if (secret === '') throw usageError(`${file === '-' ? 'standard input' : file} is empty`);
  return secret;
}

/** @throws CliError if the file cannot be written */
export async function writeGivenFile(file: string, content: string | Uint8Array): Promise<void> {
  await writeFile(file, content).catch(refuse(`cannot write ${file}`));
}

/** What the system's code means, where people meet it. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** Throws a CliError that says why `what` failed. */
export function refuse(what: string) {
  return ({ code = '', message }: NodeJS.ErrnoException): never => {
    throw usageError(`${what}: ${REASONS[code] ?? (code || message)}`);
  };
}
