import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { usageError } from '../errors.ts';

/**
 * Reads a JSON object from a file, or from standard input for `-`.
 *
 * @throws CliError if the file is not there or has no JSON object
 */
export async function readDetail(file: string): Promise<object> {
  const content =
    file === '-'
      ? await text(process.stdin)
      : await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          throw usageError(`cannot read ${file}: ${error.code}`);
        });
  const value = parse(content, file);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw usageError(`${file === '-' ? 'standard input' : file} must have a JSON object`);
}

function parse(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw usageError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
