import { parseJsonOrThrow } from '../../shared/collections/parse-json.ts';
import { usageError } from '../errors.ts';
import { readGivenFile } from '../files.ts';

/**
 * Reads a JSON object from a file, or from standard input for `-`.
 *
 * @throws CliError if the file is not there, is not in UTF-8 or has no JSON object
 */
export async function readDetail(file: string): Promise<object> {
  const value = parse(await readGivenFile(file), file);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw usageError(`${file === '-' ? 'standard input' : file} must have a JSON object`);
}

/** A byte order mark is allowed: PowerShell writes one. */
function parse(content: Buffer, file: string): unknown {
  try {
    return parseJsonOrThrow(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${file} is not encoded in UTF-8`);
    throw usageError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
