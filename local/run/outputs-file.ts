import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isListening, portsOf } from '../../cli/checks/ports.ts';
import { localTarget } from '../../cli/target/local-target.ts';

/**
 * Makes the folder of `file`, and removes the outputs that a killed run has left there.
 *
 * @throws Error of one line if the outputs belong to a running run, or if the file cannot be written
 */
export async function prepareOutputs(file: string): Promise<void> {
  const target = await localTarget(file).catch(() => undefined);
  const ports = target === undefined ? [] : portsOf(target);
  const areListening = await Promise.all(ports.map(isListening));
  if (areListening.includes(true))
    throw new Error(
      `${file} is of another local run that is up: end that one, or name another file with --outputs-file`,
    );
  try {
    await mkdir(dirname(file), { recursive: true });
    await rm(file, { force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${file} cannot be written (${code}): name another file with --outputs-file`, {
      cause: error,
    });
  }
}

/**
 * Writes the stack's outputs to `file` in the format of `cdk deploy --outputs-file`, does `work`, and removes the file.
 *
 * @returns the result of `work`; `undefined` as soon as `signal` aborts, even while the work goes on
 */
export async function withOutputsFile<Result>(
  file: string,
  outputs: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  if (signal.aborted) return undefined;
  const interrupted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    await writeFile(file, `${JSON.stringify({ MarketplaceConnector: outputs }, null, 2)}\n`);
    return await Promise.race([work(), interrupted]);
  } finally {
    await rm(file, { force: true });
  }
}
