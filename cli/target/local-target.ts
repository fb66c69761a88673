import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { usageError } from '../errors.ts';
import { refuse } from '../files.ts';
import { startOf } from '../invocation.ts';
import type { Target } from './target.ts';

/** The outputs file of a local run, from the folder in which the command runs. */
export const LOCAL_OUTPUTS = '.local/outputs.json';

const outputsFileSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** Every region is valid at the local run; its commands are shown with this one. */
const REGION = 'us-east-1';

/**
 * The local run that wrote `file`; default the one of the working folder.
 *
 * @throws CliError if the file is not there, cannot be read, or is no outputs file
 */
export async function localTarget(file = LOCAL_OUTPUTS): Promise<Target> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') return refuse(`cannot read ${file}`)(error);
    throw usageError(
      `no local run: there is no ${file}`,
      `Start one here with \`${startOf('local')}\`, or name a deployed stack with --stack NAME --region REGION.`,
    );
  });
  const [outputs] = Object.values(readOutputs(file, text));
  // The local run has one endpoint for all services; the URL of a queue has it.
  const queueUrl = outputs?.ChangesQueueUrl;
  if (outputs === undefined || queueUrl === undefined || !URL.canParse(queueUrl))
    throw usageError(`${file} has no output ChangesQueueUrl: it is not of a local run`);
  return {
    name: 'local',
    isLocal: true,
    region: REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    endpoint: new URL(queueUrl).origin,
    options: localOptions(file),
    outputs,
  };
}

/** The options of a command that name the local run of an outputs file. */
export function localOptions(file: string): string[] {
  return file === LOCAL_OUTPUTS ? [] : ['--outputs', file];
}

function readOutputs(file: string, text: string) {
  try {
    return outputsFileSchema.parse(JSON.parse(text));
  } catch {
    throw usageError(`${file} is not a file of stack outputs`);
  }
}
