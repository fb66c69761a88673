import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

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
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify({ MarketplaceConnector: outputs }, null, 2)}\n`);
    return await Promise.race([work(), interrupted]);
  } finally {
    await removeOutputs(file);
  }
}

/** Removes the file, also one that a killed run left behind. */
export async function removeOutputs(file: string): Promise<void> {
  await rm(file, { force: true });
}
