import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Does `work` while `file` has the stack's outputs, in the shape of `cdk deploy --outputs-file`. The file is gone before
 * this ends, whatever ends it.
 *
 * @returns what `work` returns; `undefined` as soon as `signal` aborts, while the work may still be under way.
 */
export async function whileOutputsShow<Result>(
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

/** Also removes what a run left behind that was killed. */
export async function removeOutputs(file: string): Promise<void> {
  await rm(file, { force: true });
}
